/**
 * A survey whose noisy reports are published: the signature that acknowledges a report, and the
 * signed boards on which the report is found again.
 *
 * The adversary drops a report, or changes it, after having said that it arrived.
 */

import { isKey, verifies } from "./blind.js";
import { Refusal } from "./refusal.js";

/**
 * Hold a survey that is published to one key for its boards, and to questions of which noise alone
 * is sent: what is asked directly would be everybody's to read.
 * @param {SurveyDocument} survey
 * @throws {Refusal} if it is otherwise
 */
export function checkBoardKey({ publish, questions, token_keys: keys = [] }) {
  const good = isKey(publish) && !keys.includes(publish);
  if (!good || questions.some(({ protection }) => protection !== "randomised")) {
    throw new Refusal("it is not clear what of your report is published");
  }
}

/** The bytes of a text. @param {string} text */
const encoded = (text) => [...new TextEncoder().encode(text)];

/** What is signed under a report: its fields in this order. @param {NoisyReport} report */
const acknowledgedBytes = ({ survey, revision, id, wave, answers }) =>
  encoded(`deniable receipt\n${JSON.stringify({ survey, revision, id, wave, answers })}`);

/**
 * Whether a signature acknowledges a report.
 * @param {string} key
 * @param {NoisyReport} report
 * @param {unknown} signature
 */
export const acknowledges = (key, report, signature) =>
  typeof signature === "string" && verifies(key, acknowledgedBytes(report), signature);

/**
 * Ask the network as always, and note what acknowledges the report.
 * @param {Session} session
 * @param {Fetch} [fetch] replaced in tests
 * @returns {{fetch: Fetch}}
 */
export function acknowledged(session, fetch = globalThis.fetch) {
  return {
    fetch: async (...asked) => {
      const answer = await fetch(...asked);
      // A copy, since whoever asked reads the answer too.
      const said = answer.ok ? await answer.clone().json() : {};
      session.receipt = said.receipt;
      return answer;
    },
  };
}

/**
 * Look for the report of a receipt on the last board. The board is fetched whole, so that nobody
 * learns which report is looked for.
 * @param {string} address of the survey
 * @param {string} key
 * @param {unknown} receipt as a file holds it
 * @param {Fetch} [fetch] replaced in tests
 * @returns {Promise<Found>}
 */
export async function findOnBoard(address, key, receipt, fetch = globalThis.fetch) {
  const { signature, ...report } = /** @type {NoisyReport & {signature?: string}} */ (
    Object(receipt)
  );
  if (!acknowledges(key, report, signature)) return "forged";
  const read = async (/** @type {string} */ name) => {
    const answer = await fetch(address + name, { cache: "no-store", credentials: "omit" });
    if (!answer.ok) throw new Error("no board was sent");
    return answer.text();
  };
  const { signatures } = JSON.parse(await read("boards.json"));
  if (signatures.length === 0) return "none";
  const board = await read(`boards/${signatures.length}.json`);
  const signed = String(signatures.at(-1));
  if (!verifies(key, encoded(`deniable board\n${board}`), signed)) return "unsigned";
  /** @type {{survey: string, reports: string[][], closed: boolean}} */
  const { survey, reports, closed } = JSON.parse(board);
  if (survey !== report.survey) return "unsigned";
  const [row, again] = reports.filter(([id]) => id === report.id);
  if (!row) return closed ? "missing" : "waiting";
  const same = row[1] === report.revision && row[2] === report.answers && row[4] === report.wave;
  return same && !again ? "found" : "changed";
}
