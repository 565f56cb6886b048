/**
 * Which items this device asks, where the survey leaves that to chance, and what it refuses to ask.
 *
 * A draw takes the choices of the smallest words. Distinct words are equally likely in every order,
 * so that every set of choices is exactly as likely as any other: no `%`, nothing is rounded.
 */

import { drawsOf } from "./protocol.js";
import { Refusal } from "./refusal.js";
import { NOT_DRAWN } from "./report.js";

/**
 * Draw. What this device drew before, and may have answered, comes first, in the order in which it
 * was drawn: reloading draws nothing new, and a revised survey no more than it lacks.
 * @param {Draw} draw
 * @param {Uint32Array} words one for each choice, all different
 * @param {string[]} before
 * @returns {string[]} the choices that are drawn
 */
export function choose({ count, choices }, words, before) {
  const rank = (/** @type {string} */ choice) => {
    const place = before.indexOf(choice);
    return place < 0 ? before.length : place;
  };
  return choices
    .map((choice, place) => ({ choice, word: words[place] }))
    .sort((one, other) => rank(one.choice) - rank(other.choice) || one.word - other.word)
    .slice(0, count)
    .map(({ choice }) => choice);
}

/**
 * Whether each item is asked: if every draw that it is in drew it.
 * @param {SurveyDocument} survey @param {string[]} drawn the choices that were drawn, of all draws
 * @returns {boolean[]}
 */
export function askedItems(survey, drawn) {
  const asked = survey.items.map(() => true);
  for (const { choices, places } of drawsOf(survey)) {
    choices.forEach((choice, index) => {
      if (!drawn.includes(choice)) places[index].forEach((place) => (asked[place] = false));
    });
  }
  return asked;
}

/**
 * Refuse draws that cannot be made: the sum above would not be that of what is asked.
 * @param {SurveyDocument} survey
 */
export function checkDraws(survey) {
  const draws = drawsOf(survey);
  // Of all draws: a choice that one of them drew would count as drawn by another.
  const all = draws.flatMap(({ choices }) => choices);
  const distinct = new Set(all).size === all.length;
  for (const { count, choices, places } of draws) {
    const possible = Number.isInteger(count) && count >= 1 && count < choices.length;
    const own = places.flat().map((place) => survey.items[place]);
    // A report that is the byte of what was not drawn would not be counted.
    const fit = own.every((item) => item.epsilon !== null && item.reports.length <= NOT_DRAWN);
    if (!possible || !distinct || !fit || places.some((those) => those.length === 0)) {
      throw new Refusal("the survey cannot draw questions as it says");
    }
  }
}
