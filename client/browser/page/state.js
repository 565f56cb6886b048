/**
 * What depends on the day, and stands in no document: when it closes, which wave is on, what was handed out with the
 * link, and which round a class is in.
 *
 * The adversary is a server that would tell people apart by it, or break the program: each part is
 * checked, and there is no other.
 */

import { fetchSame } from "../core/fetching.js";
import { Refusal } from "../core/refusal.js";

/**
 * @param {SurveyDocument} survey whose page this is
 * @returns {Promise<SurveyState>}
 * @throws {Refusal} if it is not as the survey has it
 */
export async function fetchState({ waves, kind, token_keys }) {
  const text = new TextDecoder().decode(await fetchSame("state.json"));
  const { state, opens, closes, wave, words, round, ...rest } = Object(JSON.parse(text));
  const isNumber = (/** @type {unknown} */ number) =>
    Number.isInteger(number) && Number(number) > 0 && Number(number) < 1e12;
  const expected = [...(words?.[0] === "pin" ? ["pin"] : []), ...(token_keys ? ["code"] : [])];
  const holds =
    state === (kind === "trial" ? kind : "open") &&
    opens === null &&
    (closes === null || isNumber(closes)) &&
    isNumber(wave) &&
    wave <= (waves?.count ?? 1) &&
    JSON.stringify(words) === JSON.stringify(expected) &&
    (kind === "meeting" ? isNumber(round) : round === null) &&
    Object.keys(rest).length === 0;
  if (!holds) throw new Refusal("The questions could not be loaded.");
  return { closes, wave, words, round };
}
