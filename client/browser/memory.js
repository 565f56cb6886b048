/**
 * What this device remembers: the noise that it sent, never a truth, never the words that were drawn.
 *
 * Coming back re-sends the same bytes. Somebody who seizes the device finds what the server has
 * already, and no more.
 *
 * @import {Report} from "./report.js"
 * @import {Item, SurveyDocument} from "./protocol.js"
 * @typedef {{revision: string, id: string, answers: string, items: string[]}} Kept
 */

import { bytesOf, makeReport } from "./report.js";

/** @param {string} survey */
const keyOf = (survey) => `deniable:${survey}`;

/**
 * Whether this browser lets the page remember anything.
 *
 * @param {Storage} storage
 */
export function canRemember(storage) {
  try {
    storage.setItem("deniable?", "1");
    storage.removeItem("deniable?");
    return true;
  } catch {
    return false;
  }
}

/**
 * Keep a report, before it is sent: if sending fails half-way, the same bytes are sent again.
 *
 * @param {Storage} storage
 * @param {SurveyDocument} survey
 * @param {Report} report
 */
export function keep(storage, survey, report) {
  const { revision, id, answers } = report;
  const kept = { revision, id, answers, items: survey.items.map((item) => mark(survey, item)) };
  storage.setItem(keyOf(survey.survey), JSON.stringify(kept));
}

/**
 * The report that this device has sent to this revision, if there is one.
 *
 * @param {Storage} storage
 * @param {SurveyDocument} survey
 * @returns {Report | undefined}
 */
export function keptReport(storage, survey) {
  const kept = read(storage, survey.survey);
  if (kept?.revision !== survey.revision) return undefined;
  return makeReport(survey, kept.id, bytesOf(kept.answers));
}

/**
 * The bytes that this device has sent for items that a revision of the survey left as they were.
 *
 * @param {Storage} storage
 * @param {SurveyDocument} survey
 * @returns {(number | undefined)[]} one for each item
 */
export function keptBytes(storage, survey) {
  const kept = read(storage, survey.survey);
  if (kept === undefined) return survey.items.map(() => undefined);
  const bytes = bytesOf(kept.answers);
  return survey.items.map((item) => bytes[kept.items.indexOf(mark(survey, item))]);
}

/**
 * @param {Storage} storage
 * @param {string} survey
 * @returns {Kept | undefined}
 */
function read(storage, survey) {
  try {
    const kept = JSON.parse(storage.getItem(keyOf(survey)) ?? "null");
    const whole =
      typeof kept?.revision === "string" &&
      /^[0-9a-f]{32}$/.test(kept.id) &&
      /^(?:[0-9a-f]{2})+$/.test(kept.answers) &&
      Array.isArray(kept.items);
    return whole ? kept : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A short mark of all that a person reads of an item and of how it is randomised: if any of it
 * changes, it is another question. 64 bits (FNV-1a), enough to tell a survey's items apart; an
 * attacker who made two alike would only have old noise sent again.
 *
 * @param {SurveyDocument} survey
 * @param {Item} item
 */
function mark(survey, item) {
  const question = survey.questions.find(({ id }) => id === item.question);
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(JSON.stringify([question?.text, item]))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16);
}
