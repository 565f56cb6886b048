/**
 * A survey by invitation: a code gives this device a token for one report, which is sent with it.
 *
 * The adversary knows whose code it is, and sees both the request with the code and the report. What
 * is kept here is what is sent again: whoever lost an answer gets the same token, and nobody two.
 */

import { ours } from "./answer.js";
import { blind, isKey, unblind } from "./blind.js";
import { Refusal } from "./refusal.js";
import { bytesOf } from "./report.js";
import { sha256 } from "./sha256.js";
import { post } from "./submission.js";

/**
 * Hold a survey by invitation to a key for each wave, all of them part of what was hashed: a key of
 * somebody's own would be a mark on their report.
 * @param {SurveyDocument} survey
 * @throws {Refusal} if it has others
 */
export function checkKeys(survey) {
  const { token_keys: keys, waves } = survey;
  const count = waves?.count ?? 1;
  const distinct = new Set(keys).size === count && keys?.length === count;
  if (!distinct || !keys.every(isKey)) {
    throw new Refusal("the keys of its invitations are not as they should be");
  }
}

/** The key of the wave that is asked. @param {Session} session */
const keyOn = ({ survey, memory }) => survey.token_keys?.[(memory.wave?.number ?? 1) - 1] ?? "";

/**
 * What this device has of a token: what it kept, whatever id that is for, or chance drawn anew.
 * @param {Session} session
 * @param {string} id of the report
 * @param {boolean} [fixed] whether the report is made, and can have no other id
 * @returns {Admission}
 */
export function admissionFor(session, id, fixed = false) {
  const key = keyOn(session);
  const mark = sha256(key).slice(0, 32);
  // Another tab may have one since this page was opened.
  const known = [session.memory.kept().admission, session.admission];
  const fitting = known.find((one) => one?.key === mark && (one.id === id || !fixed));
  return fitting ?? { key: mark, id, hidden: blind(key, bytesOf(id), session.randomness) };
}

/**
 * Have the token signed that `session.admission` waits for.
 * @param {Session} session
 * @param {string} code
 * @param {Fetch} [fetch] replaced in tests
 * @returns {Promise<Admitted>}
 * @throws {Refusal} if something else was signed
 */
export async function fetchToken(session, code, fetch = globalThis.fetch) {
  const { memory, address, admission } = session;
  if (!admission?.hidden) return "admitted";
  const { key, id, hidden } = admission;
  // Comes before asking, so that the very same is asked if no answer comes.
  memory.write({ admission });
  const answer = await post(fetch, `${address}tokens`, {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ key, code, blinded: hidden.blinded }),
  });
  const { status, said } = ours(answer, hidden.blinded);
  if (status !== 200) return REFUSED_CODES[status] ?? "unreachable";
  // What hid it is forgotten: with the store beside it, it would lead from the code to the report.
  session.admission = { key, id, token: unblind(keyOn(session), hidden, String(said.signed)) };
  memory.write({ admission: session.admission });
  return "admitted";
}

/** @type {Record<number, Admitted>} */
const REFUSED_CODES = { 401: "unknown", 403: "used", 409: "changed", 410: "closed" };
