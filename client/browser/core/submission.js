/** Sending a report until the server has it, always the same bytes. */

/** Seconds to wait before each further try; after the last one the report waits on the device. */
const WAITS = [1, 2, 4, 8, 15];

/** A server that asks for a longer pause than this gets it from the pauses of a report that waits. */
const LONGEST_WAIT = 60;

/**
 * @param {string} address
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
    const answer = await post(fetch, address, { headers, body: JSON.stringify(report) });
    if (answer?.status === 200 || answer?.status === 201) return "stored";
    if (answer?.status === 410) return "closed";
    const code = answer?.headers.get("WWW-Authenticate") === "Survey-Code";
    if (code) return words?.["Survey-Token"] ? "token" : "code";
    if (answer?.status === 401) return "pin";
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) return "refused";
    // A device that knows that it is offline tries once all the same: it may serve the page itself.
    if (tries === WAITS.length || navigator.onLine === false) return "unreachable";
    const asked = Number(answer?.headers.get("Retry-After") ?? 0);
    await wait(Math.max(WAITS[tries], Math.min(asked || 0, LONGEST_WAIT)));
  }
}

/**
 * @type {(fetch: Fetch, address: string, what: RequestInit) => Promise<Response | undefined>}
 * @returns undefined where nothing answered
 */
export async function post(fetch, address, what) {
  try {
    return await fetch(address, {
      ...what,
      method: "POST",
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
  } catch {
    return undefined;
  }
}

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
function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
