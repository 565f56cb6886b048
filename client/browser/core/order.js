/** What stands in random order on this device. The report keeps its own order, and says nothing of it. */

import { placesOf } from "./protocol.js";
import { hasSeveralItems } from "./questions.js";

/**
 * What is shuffled, and how many there are of it: questions under "", the others under theirs.
 * @param {SurveyDocument} survey
 */
export function shufflesOf(survey) {
  /** @type {[string, number][]} */
  const found = survey.order ? [["", survey.questions.length]] : [];
  for (const question of survey.questions.filter(({ order }) => order)) {
    const own = hasSeveralItems(question) ? placesOf(survey, question) : question.answers;
    found.push([question.id, own.length]);
  }
  return found;
}

/** An order, every one equally likely: distinct words are. @param {Uint32Array} words */
export function orderOf(words) {
  return [...words.keys()].sort((one, other) => words[one] - words[other]);
}

/** All indices: these first, the rest as they are. @param {number[]} first @param {unknown[]} all */
export function complete(first, all) {
  return [...new Set([...first, ...all.keys()])];
}
