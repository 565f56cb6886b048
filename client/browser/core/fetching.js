/** Fetching what is asked. A document that was not checked leaves this module nowhere. */

import { checkPromise } from "./protocol.js";
import { Refusal } from "./refusal.js";
import { readDocument } from "./wordings.js";

/** What is the same for everybody who asks for it. @param {string} address @param {AbortSignal} [signal] */
export async function fetchSame(address, signal) {
  // As the page asks for it ahead, by a link that cannot leave credentials out; there are none here.
  const answer = await fetch(address, { credentials: "same-origin", redirect: "error", signal });
  if (!answer.ok) throw new Refusal("The questions could not be loaded.");
  return new Uint8Array(await answer.arrayBuffer());
}

/**
 * @param {string} [address] of a survey; without it, the one whose page this is
 * @returns {Promise<SurveyDocument>}
 * @throws {Refusal} if it does not come, or does not keep its promise
 */
export async function fetchSurvey(address = "") {
  const bytes = await fetchSame(`${address}survey.json`);
  const survey = readDocument(bytes);
  checkPromise(survey);
  return survey;
}
