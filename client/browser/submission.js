/**
 * Sending a report until the server has it, always the same bytes.
 */

/** Seconds to wait before each further try; after the last one the person is asked. */
const WAITS = [1, 2, 4, 8, 15];

/** A server that asks for a longer pause than this is left to the person's "Try again". */
const LONGEST_WAIT = 60;

/**
 * @param {string} address
 * @param {NoisyReport} report
 * @param {object} [parts] replaced in tests
 * @param {Fetch} [parts.fetch]
 * @param {(seconds: number) => Promise<void>} [parts.wait]
 * @returns {Promise<Outcome>}
 */
export async function send(address, report, parts = {}) {
  const { fetch = globalThis.fetch, wait = pause } = parts;
  const body = JSON.stringify(report);
  for (let tries = 0; ; tries += 1) {
    const answer = await post(fetch, address, body);
    if (answer?.status === 200 || answer?.status === 201) return "stored";
    if (answer?.status === 410) return "closed";
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) return "refused";
    if (tries === WAITS.length) return "unreachable";
    const asked = Number(answer?.headers.get("Retry-After") ?? 0);
    await wait(Math.max(WAITS[tries], Math.min(asked || 0, LONGEST_WAIT)));
  }
}

/**
 * @param {Fetch} fetch
 * @param {string} address
 * @param {string} body
 * @returns {Promise<Response | undefined>} undefined where nothing answered
 */
async function post(fetch, address, body) {
  try {
    return await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
  } catch {
    return undefined;
  }
}

/** @param {number} seconds */
function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
