/**
 * Stands between a page and its browser: hands out known words for random ones, and tells of what
 * the browser's own protocol does not: clocks that are set, and ways to others that are opened.
 *
 * It runs in every page before the page's own program, which finds nothing of it but functions that
 * read like the browser's own. `visitor.py` puts what it needs in the place of NAME and WORDS.
 */

(() => {
  const tell = Reflect.get(globalThis, "NAME");
  Reflect.deleteProperty(globalThis, "NAME");
  /** @type {number[]} */
  const words = JSON.parse("WORDS");
  // Taken now: the page could replace them later.
  const { apply, construct } = Reflect;
  const { getOwnPropertyDescriptor, defineProperty } = Object;
  const say = (/** @type {string} */ what) => apply(tell, undefined, [what]);
  let next = 0;

  /**
   * @param {object | undefined} owner
   * @param {string} name
   * @param {ProxyHandler<any>} handler
   */
  function wrap(owner, name, handler) {
    const found = owner && getOwnPropertyDescriptor(owner, name);
    if (found) defineProperty(owner, name, { ...found, value: new Proxy(found.value, handler) });
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

  // An honest page waits for nothing but its turn.
  const find = (/** @type {string} */ name) => say(`finds it sets a clock by ${name}`);
  for (const [owner, name] of /** @type {[object, string][]} */ ([
    [globalThis, "setInterval"],
    [AbortSignal, "timeout"],
  ])) {
    wrap(owner, name, {
      apply(native, self, given) {
        find(name);
        return apply(native, self, given);
      },
    });
  }
  // It ends the clock of a request that is answered: told are those that strike or are left.
  wrap(globalThis, "setTimeout", {
    apply(native, self, [strike, given, ...more]) {
      const wait = Number(given);
      if (!(wait > 0)) return apply(native, self, [strike, wait, ...more]);
      const struck = {
        apply: (/** @type {[any, any, any]} */ ...call) => (find("setTimeout"), apply(...call)),
      };
      const isCalled = typeof strike === "function";
      if (!isCalled) find("setTimeout");
      const number = apply(native, self, [
        isCalled ? new Proxy(strike, struck) : strike,
        wait,
        ...more,
      ]);
      say(`set ${number}`);
      return number;
    },
  });
  wrap(globalThis, "clearTimeout", {
    apply(native, self, [given]) {
      const number = Number(given);
      say(`ended ${number}`);
      return apply(native, self, [number]);
    },
  });

  // Calls between browsers are in no list of requests; the others may outlive the page.
  const ways = [
    ...["RTCPeerConnection", "webkitRTCPeerConnection", "WebSocket", "WebTransport"],
    ...["EventSource", "BroadcastChannel", "Worker", "SharedWorker"],
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
