/** Where a page may be: at an address that everybody has. Another one could name who opens it. */

import { addressOf } from "../core/address.js";
import { Refusal } from "../core/refusal.js";

/**
 * The address of the survey whose page this is.
 * @param {SurveyDocument} survey
 * @param {string} [page] what comes after it
 * @throws {Refusal} if the page was opened under another path or with a query
 */
export function addressHere(survey, page = "") {
  const address = addressOf(survey);
  if (location.href.split("#")[0] !== location.origin + address + page) {
    throw new Refusal("The address of this page is not the one that everybody has.");
  }
  return address;
}
