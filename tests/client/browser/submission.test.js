/** Sending: the same bytes until they have arrived. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { send } from "../../../client/browser/submission.js";

const REPORT = { survey: "s", revision: "r", id: "00", answers: "01" };

/**
 * Send to a server that gives these answers in turn; a word instead of a status is a lost connection.
 *
 * @param {(number | [number, Record<string, string>] | "lost")[]} answers
 */
async function sendTo(...answers) {
  /** @type {(RequestInit & {address: string})[]} */
  const requests = [];
  /** @type {number[]} */
  const waits = [];
  const outcome = await send("/s/s/reports", REPORT, {
    fetch: async (address, request) => {
      requests.push({ address, ...request });
      const answer = answers.shift() ?? "lost";
      if (answer === "lost") throw new TypeError("Failed to fetch");
      const [status, headers] = Array.isArray(answer) ? answer : [answer, {}];
      return new Response(null, { status, headers });
    },
    wait: async (seconds) => {
      waits.push(seconds);
    },
  });
  return { outcome, requests, waits };
}

for (const status of [200, 201]) {
  test(`${status} is stored`, async () => {
    const { outcome, requests } = await sendTo(status);
    assert.equal(outcome, "stored");
    assert.equal(requests.length, 1);
  });
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

for (const status of [400, 403, 404, 409, 413, 415, 422]) {
  test(`${status} is refused at once`, async () => {
    const { outcome, requests } = await sendTo(status);
    assert.equal(outcome, "refused");
    assert.equal(requests.length, 1);
  });
}

test("410 is closed", async () => {
  assert.equal((await sendTo(410)).outcome, "closed");
});

test("the request carries the report and nothing of its sender", async () => {
  const { requests } = await sendTo(201);
  const [{ address, body, credentials, referrerPolicy, redirect, headers }] = requests;
  assert.equal(address, "/s/s/reports");
  assert.equal(body, JSON.stringify(REPORT));
  assert.deepEqual([credentials, referrerPolicy, redirect], ["omit", "no-referrer", "error"]);
  assert.deepEqual(headers, { "Content-Type": "application/json" });
});
