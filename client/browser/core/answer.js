/**
 * What our own server says, told apart from what answers in its place.
 *
 * The adversary stands between this page and the server: a firewall, the log-in page of a network, a
 * proxy. It answers anything with any status, and does not know what was asked. So an answer counts
 * if it names what it is about; all else is no connection.
 */

/** Seconds after which an answer does not come any more. */
const MOST_SECONDS = 20;

/**
 * Ask once, for all of an answer, whoever gives it.
 * @param {string} address
 * @param {RequestInit} what
 * @param {Fetch} [fetch] replaced in tests
 * @param {number} [patience]
 * @returns {Promise<Whole>} of status 0 if none came
 */
export async function fetchWhole(address, what, fetch = globalThis.fetch, patience = MOST_SECONDS) {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), patience * 1000);
  try {
    const answer = await fetch(address, { ...what, redirect: "error", signal: control.signal });
    const { status, headers } = answer;
    return { status, headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
  } catch {
    return { status: 0, bytes: new Uint8Array(), isLate: control.signal.aborted };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The answer as our server gave it.
 * @param {Whole} whole
 * @param {string[]} about one of which it has to name
 * @returns {Whole & {said: any}} of status 0 if another program gave it
 */
export function ours(whole, ...about) {
  try {
    const said = Object(JSON.parse(new TextDecoder().decode(whole.bytes)));
    if (about.includes(said.about)) return { ...whole, said };
  } catch {
    // No JSON at all.
  }
  return { ...whole, status: 0, said: {} };
}
