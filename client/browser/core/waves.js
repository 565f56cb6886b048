/**
 * A survey that is asked again, wave by wave: the channel of its reports, and what is drawn for
 * them.
 *
 * For each item a device keeps a noisy answer to *every* answer that could be true, all of them drawn
 * when the page opens, so that what is kept has the same distribution whatever is true. A wave's
 * report is drawn from the noisy answer to what is true then.
 */

import { checkWeights, epsilon, ROW_SUM, sample, SLACK } from "./channel.js";
import { add, dearest } from "./protocol.js";
import { keepsNoise } from "./questions.js";
import { Refusal } from "./refusal.js";
import { isDrawnWithAnother, tableOf } from "./together.js";

/**
 * Hold a survey with waves to what it says: that a report is drawn as it shows, and the three ε.
 * Where other people answer each wave, a device keeps nothing, and reports as of a survey without.
 * @param {SurveyDocument} survey
 * @throws {Refusal} if it does not hold
 */
export function checkWaves(survey) {
  const { count = 0, once = NaN, changing } = survey.waves ?? {};
  if (!keepsNoise(survey)) return;
  let holds = true;
  for (const item of survey.items) {
    const { permanent, redraw = NaN, once: own = NaN, epsilon: longitudinal } = item;
    // What is sent as one is kept as one, at its first item.
    if (longitudinal === null || (survey.together && isDrawnWithAnother(survey, item.question)))
      continue;
    const weights = survey.together ? tableOf(survey, item) : item.weights;
    checkWeights(permanent);
    const { length } = weights[0];
    const rest = 1 - (length * redraw) / ROW_SUM;
    // The channel of one report: each with the weight of redrawing, or else the one that is kept.
    const table = permanent.map((row) => row.map((weight) => redraw + weight * rest));
    holds &&=
      rest > 0 &&
      epsilon(table) <= own + SLACK &&
      // Cell by cell: what the table has no row for, nobody has checked.
      table.length === weights.length &&
      table.every(
        (row, truth) =>
          row.length === length &&
          row.every((weight, report) => Math.abs(weight - weights[truth][report]) <= length),
      );
  }
  const one = dearest(survey, (item) => Math.round((item.once ?? 0) * 1e6), add);
  const all = dearest(survey, changed, add) * count;
  holds &&= one <= Math.round(once * 1e6);
  // Said this way round: what is no number is above nothing, and below nothing either.
  holds &&= changing === null || Number(changing) + SLACK >= all;
  if (!holds) throw new Refusal("it would reveal more than is promised");
}

/** ε of a wave's report to who knows what is kept. @param {Item} item */
const changed = ({ permanent, redraw = NaN }) =>
  permanent === undefined ? 0 : Math.log(ROW_SUM / redraw - permanent[0].length + 1);

/**
 * ε of the reports of so many waves, while the answer stays the same, if this device forgets: of
 * those by one noisy answer the likeliest are all alike; and nobody knows when it forgets, so it is
 * the worst of all times. Mostly each of them is then drawn anew.
 * @param {Item} item
 * @param {number} count
 */
export function lossIfForgotten({ permanent, redraw = 0 }, count) {
  if (!permanent) return 0;
  const columns = permanent[0].map((_report, at) => permanent.map((row) => row[at] / ROW_SUM));
  const other = redraw / (ROW_SUM - (columns.length - 1) * redraw);
  const together = (/** @type {number} */ reports) => {
    const w = other ** reports;
    const chance = (/** @type {number} */ share) => w + (1 - w) * share;
    const sent = columns.filter((column) => Math.max(...column) > 0);
    return Math.max(
      ...sent.map((own) => Math.log(chance(Math.max(...own)) / chance(Math.min(...own)))),
    );
  };
  const best = [0];
  const kept = Array.from({ length: count }, (_, at) => together(at + 1));
  while (best.length <= count)
    best.push(Math.max(...best.map((one, at, { length }) => one + kept[length - 1 - at])));
  return best[count];
}

/**
 * The noisy answer to each truth of each item: those that are kept, and the others drawn.
 * @param {SurveyDocument} survey @param {Uint32Array} words @param {(number[] | undefined)[]} kept
 * @returns {number[][]} none of an item of which nothing is kept
 */
export function drawMaps({ items }, words, kept = []) {
  let next = items.length;
  return items.map(({ permanent = [] }, place) => {
    const drawn = permanent.map((_row, truth) => sample(permanent, truth, words[next++]));
    return kept[place] ?? drawn;
  });
}

/**
 * What is reported of each truth in this wave: the noisy answer, or with a small chance another.
 * @param {SurveyDocument} survey
 * @param {Uint32Array} words
 * @param {number[][]} maps
 */
export function readyReports({ items }, words, maps) {
  return items.map(({ permanent: [reports] = [[]], redraw = 0 }, place) => {
    const same = ROW_SUM - (reports.length - 1) * redraw;
    return maps[place].map((noisy) => {
      const row = reports.map((_report, sent) => (sent === noisy ? same : redraw));
      return sample([row], 0, words[place]);
    });
  });
}
