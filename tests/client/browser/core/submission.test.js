/** Sending: the same bytes until they have arrived. */
// promise: rate-limit, our-word

import assert from "node:assert/strict";
import { test } from "node:test";

import { send, waitFor } from "../../../../client/browser/core/submission.js";

const REPORT = { survey: "s", revision: "r", id: "00", answers: "01" };

const OURS = JSON.stringify({ about: REPORT.id });

/**
 * Send to a server that gives these answers in turn; a word instead of a status is a lost connection.
 * @param {(number | [number, Record<string, string>] | Response | "lost")[]} answers
 */
async function sendTo(...answers) {
  return sendWith(undefined, ...answers);
}

/**
 * The same with what was handed out.
 * @param {Words | undefined} words
 * @param {(number | [number, Record<string, string>] | Response | "lost")[]} answers
 */
async function sendWith(words, ...answers) {
  /** @type {(RequestInit & {address: string})[]} */
  const requests = [];
  /** @type {number[]} */
  const waits = [];
  const outcome = await send("/s/s/", REPORT, words, {
    fetch: async (address, request) => {
      requests.push({ address, ...request });
      const answer = answers.shift() ?? "lost";
      if (answer instanceof Response) return answer;
      if (answer === "lost") throw new TypeError("Failed to fetch");
      const [status, headers] = Array.isArray(answer) ? answer : [answer, {}];
      return new Response(OURS, { status, headers });
    },
    wait: async (seconds) => {
      waits.push(seconds);
    },
  });
  return { outcome, requests, waits };
}

for (const [outcome, statuses] of Object.entries({
  stored: [200, 201],
  refused: [400, 403, 404, 409, 413, 415, 422],
  closed: [410],
})) {
  for (const status of statuses) {
    test(`${status} is ${outcome} at once`, async () => {
      const sent = await sendTo(status);
      assert.equal(sent.outcome, outcome);
      assert.equal(sent.requests.length, 1);
    });
  }
}

test("a lost connection, an overloaded server: the same bytes again, with longer and longer waits", async () => {
  const { outcome, requests, waits } = await sendTo("lost", 503, 429, 500, 201);
  assert.equal(outcome, "stored");
  assert.deepEqual(waits, [1, 2, 4, 8]);
  assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
});

test("Retry-After is heeded within reason", async () => {
  const { waits } = await sendTo(
    [429, { "Retry-After": "20" }],
    [503, { "Retry-After": "86400" }],
    [503, { "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT" }],
    201,
  );
  assert.deepEqual(waits, [20, 60, 4]);
});

test("after six tries the person is asked", async () => {
  const { outcome, requests } = await sendTo();
  assert.equal(outcome, "unreachable");
  assert.equal(requests.length, 6);
});

test("the request carries the report and nothing of its sender", async () => {
  const { requests } = await sendTo(201);
  const [{ address, body, credentials, referrerPolicy, redirect, headers }] = requests;
  assert.equal(address, "/s/s/reports");
  assert.equal(body, JSON.stringify(REPORT));
  assert.deepEqual([credentials, referrerPolicy, redirect], ["omit", "no-referrer", "error"]);
  assert.deepEqual(headers, { "Content-Type": "application/json" });
});

test("a device that knows that it is offline tries once, and leaves the rest to waiting", async () => {
  Object.defineProperty(navigator, "onLine", { value: false, configurable: true });
  try {
    const { outcome, requests, waits } = await sendTo();
    assert.deepEqual([outcome, requests.length, waits], ["unreachable", 1, []]);
    // It may serve the page itself: what answers then counts.
    assert.equal((await sendTo(201)).outcome, "stored");
  } finally {
    Reflect.deleteProperty(navigator, "onLine");
  }
});

/**
 * Start to wait, with the clock and the window replaced.
 * @param {number} turn
 */
function startWaiting(turn) {
  /** @type {Record<string, () => void>} */
  const wakers = {};
  /** @type {number[]} */
  const pauses = [];
  const button = /** @type {EventTarget} */ (
    /** @type {unknown} */ ({
      addEventListener: (/** @type {string} */ type, /** @type {() => void} */ wake) => {
        wakers[type] = wake;
      },
    })
  );
  const replaced = {
    addEventListener: button.addEventListener,
    setTimeout: (/** @type {() => void} */ wake, /** @type {number} */ milliseconds) => {
      wakers.time = wake;
      pauses.push(milliseconds);
    },
  };
  const before = { addEventListener: globalThis.addEventListener, setTimeout };
  Object.assign(globalThis, replaced);
  const waiting = waitFor(button, turn);
  Object.assign(globalThis, before);
  return { waiting, wakers, pauses };
}

for (const wake of ["online", "click", "time"]) {
  test(`waiting ends by ${wake}, and not before`, async () => {
    const { waiting, wakers } = startWaiting(0);
    let over = false;
    void waiting.then(() => (over = true));
    await new Promise(setImmediate);
    assert.equal(over, false);
    wakers[wake]();
    await waiting;
  });
}

test("the pauses of a report that waits grow from a minute to a quarter of an hour", () => {
  const pauses = [0, 1, 2, 3, 4, 5, 500].flatMap((turn) => startWaiting(turn).pauses);
  assert.deepEqual(
    pauses.map((pause) => pause / 1000),
    [60, 120, 240, 480, 900, 900, 900],
  );
});

test("an access word goes beside the report, and is asked again if it is another one", async () => {
  const { outcome, requests } = await sendWith({ "Survey-Pin": "sea-lion" }, 503, 401);
  assert.equal(outcome, "pin");
  for (const { headers, body } of requests) {
    assert.deepEqual(headers, { "Content-Type": "application/json", "Survey-Pin": "sea-lion" });
    assert.equal(body, JSON.stringify(REPORT));
  }
  const without = await sendTo(201);
  assert.deepEqual(without.requests[0].headers, { "Content-Type": "application/json" });
});

test("a token goes beside the report, and a code is asked for only where there is none", async () => {
  /** @type {Record<string, string>} */
  const challenge = { "WWW-Authenticate": "Survey-Code" };
  for (const status of [401, 403]) {
    const { outcome, requests } = await sendWith({ "Survey-Token": "00ff" }, [status, challenge]);
    // Whose code it was would be seen beside the report that was refused.
    assert.equal(outcome, "token");
    assert.equal(Object(requests[0].headers)["Survey-Token"], "00ff");
    assert.equal((await sendWith({}, [status, challenge])).outcome, "code");
  }
});

const PAGE = "<html><h1>Log in to the network</h1>";
const ANOTHER = JSON.stringify({ about: "01", status: "stored" });

for (const status of [200, 201, 202, 401, 403, 404, 407, 409, 410, 413, 422, 451, 511]) {
  for (const [what, body] of Object.entries({ page: PAGE, "empty answer": "", ANOTHER })) {
    test(`${status} with ${what}: our server did not say it, so the report waits and is sent again`, async () => {
      const stranger = () => new Response(body, { status });
      const { outcome, requests } = await sendTo(stranger(), 201);
      assert.deepEqual([outcome, requests.length], ["stored", 2]);
      // Soon, so that the person learns that it waits; and then seldom.
      const never = await sendTo(stranger(), stranger());
      assert.deepEqual(
        [never.outcome, never.waits],
        ["unreachable", status < 500 ? [1] : [1, 2, 4, 8, 15]],
      );
    });
  }
}

test("a code is asked for by our own server alone", async () => {
  const headers = { "WWW-Authenticate": "Survey-Code" };
  const stranger = () => new Response(PAGE, { status: 401, headers });
  assert.equal((await sendTo(stranger(), 201)).outcome, "stored");
});

test("a wrong word is refused before the report is read, and names the survey", async () => {
  const named = new Response(JSON.stringify({ about: "/s/s/" }), { status: 401 });
  assert.equal((await sendTo(named)).outcome, "pin");
});

test("an answer that does not come whole within 20 seconds is given up, and not asked for at once", async () => {
  const { setTimeout } = globalThis;
  /** @type {[() => void, number][]} */
  const timers = [];
  const held = (/** @type {() => void} */ run, /** @type {number} */ time) =>
    timers.push([run, time]);
  Object.assign(globalThis, { setTimeout: held });
  const sent = send("/s/s/", REPORT, undefined, {
    fetch: async (_address, { signal }) => {
      const body = new ReadableStream({
        start: (holder) => {
          holder.enqueue(new TextEncoder().encode('{"about":'));
          signal?.addEventListener("abort", () => holder.error(signal.reason));
        },
      });
      return new Response(body, { status: 201 });
    },
  });
  Object.assign(globalThis, { setTimeout });
  const waits = new Promise((resolve) => setImmediate(resolve, "waits"));
  assert.equal(await Promise.race([sent, waits]), "waits");
  assert.deepEqual(
    timers.map(([, time]) => time),
    [20_000],
  );
  timers[0][0]();
  assert.equal(await sent, "unreachable");
  assert.equal(timers.length, 1);
});
