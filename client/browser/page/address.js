/** The address of a survey, the same on every server as in `deniable/survey/address.py`. */

import { NoConnection, Refusal } from "../core/refusal.js";
import { sha256 } from "../core/sha256.js";

/** @type {(named: Addressed) => string} the path of its page, below which all that is its own is */
export function addressOf({ survey, kind = "survey", address }) {
  if (address === "named") return `/s/${survey}/`;
  const text = `deniable address\n${kind}\n${survey}`;
  const number = BigInt(`0x${sha256(text)}`);
  const places = [0n, 1n, 2n, 3n, 4n, 5n, 6n].map((place) => (number / 19n ** place) % 19n);
  return `/${places.map((place) => "BCDFGHJKMNPRSTVWXYZ"[Number(place)]).join("")}/`;
}

/**
 * The address of the survey whose page this is. Another one could name who opens it.
 * @param {SurveyDocument} survey
 * @throws {NoConnection} if something between us gave another survey's
 * @throws {Refusal} if the page was opened under another path or with a query
 */
export function addressHere(survey) {
  const address = addressOf(survey);
  if (!location.pathname.includes(address)) throw new NoConnection();
  if (location.href.split("#")[0] !== location.origin + address) {
    const refusal = new Refusal("The address of this page is not the one that everybody has.");
    refusal.onward = address;
    throw refusal;
  }
  return address;
}
