/**
 * Stands between a page and its browser: hands out known words for random ones, and tells of what
 * the browser's own protocol does not: clocks that are set, and ways to others that are opened.
 *
 * It runs in every page before the page's own program, which finds nothing of it but functions that
 * read like the browser's own. `scripts.py` puts what it needs in the place of NAME and WORDS.
 */

(() => {
  const tell = Reflect.get(globalThis, "NAME");
  Reflect.deleteProperty(globalThis, "NAME");
  /** @type {number[]} */
  const words = JSON.parse("WORDS");
  // Taken now: the page could replace them later.
  const { apply, construct } = Reflect;
  const { getOwnPropertyDescriptor, getOwnPropertyNames, defineProperty } = Object;
  const { parse, stringify } = JSON;
  const say = (/** @type {string} */ what) => apply(tell, undefined, [what]);
  let next = 0;

  /**
   * @param {object | undefined} owner
   * @param {string | symbol} name
   * @param {ProxyHandler<any>} handler
   */
  function wrap(owner, name, handler) {
    const found = owner && getOwnPropertyDescriptor(owner, name);
    if (!found) return;
    const part = found.get ? "get" : "value";
    defineProperty(owner, name, { ...found, [part]: new Proxy(found[part], handler) });
  }

  wrap(Crypto.prototype, "getRandomValues", {
    apply(native, self, given) {
      const array = apply(native, self, given);
      say(`drawn ${array.length}`);
      for (let place = 0; array instanceof Uint32Array && place < array.length; place += 1) {
        if (next < words.length) array[place] = words[next++];
      }
      return array;
    },
  });
  wrap(Math, "random", {
    apply(native, self, given) {
      say("finds Math.random was called: its next value can be computed from earlier ones");
      return apply(native, self, given);
    },
  });

  for (const name of ["setTimeout", "setInterval"]) {
    wrap(globalThis, name, {
      apply(native, self, given) {
        say(`timer ${name} ${Number(given[1]) || 0}`);
        return apply(native, self, given);
      },
    });
  }
  wrap(globalThis.AbortSignal, "timeout", {
    apply(native, self, given) {
      say(`timer AbortSignal.timeout ${Number(given[0])}`);
      return apply(native, self, given);
    },
  });
  wrap(Reflect.get(globalThis, "Scheduler")?.prototype, "postTask", {
    apply(native, self, given) {
      say(`timer scheduler.postTask ${Number(given[1]?.delay) || 0}`);
      return apply(native, self, given);
    },
  });

  wrap(globalThis, "requestAnimationFrame", {
    apply(native, self, given) {
      say("frame");
      return apply(native, self, given);
    },
  });
  for (const name of ["get", "has", "entries", "forEach", "keys", "values", Symbol.iterator]) {
    wrap(Headers.prototype, name, {
      apply(native, self, given) {
        say(`read ${name === "get" ? given[0] : `all headers, by ${String(name)}`}`);
        return apply(native, self, given);
      },
    });
  }

  // A history keeps no more than is told here.
  for (const name of ["pushState", "replaceState"]) {
    wrap(History.prototype, name, {
      apply(native, self, [state = null, ...given]) {
        const told = stringify(state) ?? null;
        say(`state ${told}`);
        return apply(native, self, [parse(told), ...given]);
      },
    });
  }
  // An honest page uses two of all that a browser offers to keep or tell something by.
  const offered = [
    ...getOwnPropertyNames(Navigator.prototype).map((name) => ["Navigator", name]),
    ...["navigate", "reload", "updateCurrentEntry"].map((name) => ["Navigation", name]),
    ["Document", "execCommand"],
  ];
  for (const [of, name] of offered) {
    if (["constructor", "languages", "onLine"].includes(name)) continue;
    wrap(Reflect.get(globalThis, of)?.prototype, name, {
      apply(native, self, given) {
        say(`finds it uses ${of.toLowerCase()}.${name}`);
        return apply(native, self, given);
      },
    });
  }

  // Calls between browsers are in no list of requests; the others may outlive the page.
  const ways = [
    "RTCPeerConnection",
    "webkitRTCPeerConnection",
    "BroadcastChannel",
    "EventSource",
    "SharedWorker",
    "WebSocket",
    "WebTransport",
    "Worker",
  ];
  for (const name of ways) {
    wrap(globalThis, name, {
      construct(native, given, self) {
        say(`finds it makes a ${name}`);
        return construct(native, given, self);
      },
    });
  }
})();
