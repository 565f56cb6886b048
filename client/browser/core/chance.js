/**
 * All that chance decides on a page, drawn in one go when it opens: before anybody has answered, so
 * that neither what is drawn nor the time that it takes can depend on an answer.
 */

import { askedItems, choose } from "./asking.js";
import { orderOf, shufflesOf } from "./order.js";
import { drawsOf } from "./protocol.js";
import { drawChance } from "./report.js";

/** Where all chance on this device comes from. @type {Randomness} */
export const deviceRandomness = (words) => {
  crypto.getRandomValues(words);
};

/**
 * How many words the noise takes: one an item, one for each truth of what is kept in waves, and one to
 * hide where a spinner points. @param {SurveyDocument} survey
 */
function wordsOf({ items, questions }) {
  const spinners = questions.filter(({ statements }) => statements).length;
  return items.reduce((sum, { permanent }) => sum + 1 + (permanent?.length ?? 0), spinners);
}

/**
 * @param {SurveyDocument} survey
 * @param {Randomness} randomness
 * @param {string[]} before the choices that this device drew earlier, which are drawn again
 * @returns {Chance}
 */
export function drawAll(survey, randomness, before) {
  const draws = drawsOf(survey);
  const shuffles = shufflesOf(survey);
  const drawn = drawChance(randomness, wordsOf(survey), [
    ...draws.map(({ choices, chances }) => (chances ? 1 : choices.length)),
    ...shuffles.map(([, count]) => count),
  ]);
  const chosen = draws.flatMap((draw, place) => choose(draw, drawn.draws[place], before));
  return {
    id: drawn.id,
    words: drawn.words,
    chosen,
    asked: draws.length > 0 ? askedItems(survey, chosen) : survey.items.map(() => true),
    orders: new Map(
      shuffles.map(([id], place) => [id, orderOf(drawn.draws[draws.length + place])]),
    ),
  };
}
