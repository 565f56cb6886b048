/** Fetching what is asked. A document that was not checked leaves this module nowhere. */

import { fetchWhole, ours } from "./answer.js";
import { checkPromise } from "./protocol.js";
import { NoConnection } from "./refusal.js";
import { readDocument } from "./wordings.js";

/**
 * As the page asks for it ahead, by a link that cannot leave credentials out; there are none here.
 * @type {RequestInit}
 */
const SAME = { credentials: "same-origin" };

/**
 * What is the same for everybody who asks for it.
 * @param {string} address
 * @param {string} about what it has to name
 * @param {number} [patience] in seconds
 * @param {number} [changes] of which it tells at least: a cache on the way may have an older answer
 * @throws {NoConnection} if our server does not give it
 */
export async function fetchSame(address, about, patience, changes) {
  const { status, said } = ours(await fetchWhole(address, SAME, undefined, patience), about);
  if (status !== 200 || said.changes < Number(changes)) throw noConnection();
  SAME.cache = "default";
  return said;
}

/**
 * @param {string} [address] of a survey; without it, the one whose page this is
 * @returns {Promise<SurveyDocument>}
 * @throws {NoConnection} if it does not come
 * @throws {Refusal} if it does not keep its promise
 */
export async function fetchSurvey(address = "") {
  const { status, bytes } = await fetchWhole(`${address}survey.json`, SAME);
  if (status !== 200 || !isDocument(bytes)) throw noConnection();
  const survey = readDocument(bytes);
  checkPromise(survey);
  return survey;
}

/** Ask our server next: browsers keep a 410 in their cache for good, whoever said it. */
function noConnection() {
  SAME.cache = "reload";
  return new NoConnection();
}

/**
 * Whether a server of surveys gave it, and all of it: lines of JSON of which the first names a survey.
 * @param {Uint8Array} bytes
 */
function isDocument(bytes) {
  try {
    const lines = new TextDecoder().decode(bytes).split("\n");
    const [structure] = lines.map((line) => JSON.parse(line));
    return "survey" in structure;
  } catch {
    return false;
  }
}
