/** Sending a report until the server says that it has it, always the same bytes. */

import { fetchWhole, ours } from "./answer.js";

/** Seconds to wait before each further try; after the last one the report waits on the device. */
const WAITS = [1, 2, 4, 8, 15];

/** A server that asks for a longer pause than this gets it from the pauses of a report that waits. */
const LONGEST_WAIT = 60;

/**
 * @param {string} address of the survey
 * @param {NoisyReport} report
 * @param {Words} [words] what is sent beside the report
 * @param {object} [parts] replaced in tests
 * @param {Fetch} [parts.fetch]
 * @param {(seconds: number) => Promise<void>} [parts.wait]
 * @returns {Promise<Outcome>}
 */
export async function send(address, report, words, parts = {}) {
  const { fetch = globalThis.fetch, wait = pause } = parts;
  const headers = { ...words, "Content-Type": "application/json" };
  for (let tries = 0; ; tries += 1) {
    const answer = await post(fetch, `${address}reports`, {
      headers,
      body: JSON.stringify(report),
    });
    // What was wrong before the report was read names the survey's address.
    const { status } = ours(answer, report.id, address);
    if (status === 200 || status === 201) return "stored";
    if (status === 410) return "closed";
    const code = status > 0 && answer.headers?.get("WWW-Authenticate") === "Survey-Code";
    if (code) return words?.["Survey-Token"] ? "token" : "code";
    if (status === 401) return "pin";
    if (status > 0 && status < 500 && status !== 429) return "refused";
    // A device that knows that it is offline tries once all the same: it may serve the page itself.
    const isOffline = answer.isLate || navigator.onLine === false;
    // Another program that refuses will go on doing so.
    const isBlocked = answer.status > 0 && answer.status < 500 && answer.status !== 429;
    if (isOffline || tries >= (isBlocked ? 1 : WAITS.length)) return "unreachable";
    const asked = Number(answer.headers?.get("Retry-After") ?? 0);
    await wait(Math.max(WAITS[tries], Math.min(asked || 0, LONGEST_WAIT)));
  }
}

/** @type {RequestInit} */
const ALONE = { credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" };

/** @type {(fetch: Fetch, address: string, what: RequestInit) => Promise<Whole>} */
export const post = (fetch, address, what) =>
  fetchWhole(address, { ...what, ...ALONE, method: "POST" }, fetch);

/**
 * Wait until the connection is back, the person presses the button, or a pause is over: each pause
 * twice the one before, up to a quarter of an hour, so that a server which comes back is not run
 * down by all who wait for it.
 * @param {EventTarget} button
 * @param {number} turn from 0
 * @returns {Promise<unknown>}
 */
export function waitFor(button, turn) {
  return new Promise((wake) => {
    // What comes second wakes nobody: a promise is kept once.
    addEventListener("online", wake, { once: true });
    button.addEventListener("click", wake, { once: true });
    setTimeout(wake, Math.min(60 * 2 ** turn, 900) * 1000);
  });
}

/** @param {number} seconds */
export function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
