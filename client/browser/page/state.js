/**
 * What depends on the day, and stands in no document: when it closes, which wave is on, what was handed out with the
 * link, and which round a class is in.
 *
 * The adversary is a server that would tell people apart by it, or break the program: each part is
 * checked, and there is no other.
 */

import { fetchSame } from "../core/fetching.js";
import { NoConnection, Refusal } from "../core/refusal.js";

/** What our server says of it now. @param {SurveyDocument} survey @returns {Promise<any>} */
const stateOf = ({ survey, revision }) => fetchSame("state.json", `${survey} ${revision}`);

/**
 * Ask once, when this device's clock says that a survey closes, whether it has: a clock may be wrong,
 * and the end may have moved. No screen decides when, so the request tells of none.
 * @param {Pick<Session, "survey" | "closes">} session
 * @returns {Promise<void>} kept if our server says that it has closed
 */
export function whenClosed(session) {
  const { survey, closes } = session;
  return new Promise((hasClosed) => {
    const ask = async () => {
      const { state } = await stateOf(survey).catch(() => ({}));
      if (state !== "closed") return;
      session.closes = 0;
      hasClosed();
    };
    if (closes !== null) {
      setTimeout(() => void ask(), Math.min(closes * 1000 - Date.now(), 2 ** 31 - 1));
    }
  });
}

/**
 * Load this page anew, unless that was done already: no answer makes it do so again and again.
 * @returns {boolean} whether it is loaded anew
 */
export function reloadOnce() {
  const ways = performance.getEntriesByType("navigation").map((way) => way.toJSON().type);
  if (ways.includes("reload")) return false;
  location.reload();
  return true;
}

/**
 * @param {SurveyDocument} survey whose page this is
 * @returns {Promise<SurveyState>}
 * @throws {NoConnection} if our server does not say it
 * @throws {Refusal} if it is not as the survey has it
 */
export async function fetchState(survey) {
  const { waves, kind, token_keys } = survey;
  const said = await stateOf(survey);
  const { state, opens, closes, wave, words, round, ...rest } = said;
  const isNumber = (/** @type {unknown} */ number) =>
    Number.isInteger(number) && Number(number) > 0;
  const expected = [...(words?.[0] === "pin" ? ["pin"] : []), ...(token_keys ? ["code"] : [])];
  // Since this page was opened it has closed, or is full: the page itself says so from now on.
  if (typeof state === "string" && state !== (kind === "trial" ? kind : "open")) {
    reloadOnce();
    throw new NoConnection();
  }
  const holds =
    opens === null &&
    (closes === null || isNumber(closes)) &&
    isNumber(wave) &&
    wave <= (waves?.count ?? 1) &&
    JSON.stringify(words) === JSON.stringify(expected) &&
    (kind === "meeting" ? isNumber(round) : round === null) &&
    Object.keys(rest).join() === "about";
  if (!holds) throw new Refusal("The questions could not be loaded.");
  return { closes, wave, words, round };
}
