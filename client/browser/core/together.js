/**
 * Questions that are randomised as one answer: one draw over their cells, the combinations of answers
 * that can be true. All cells but the true one are reported with the same weight.
 */

import { skippedTruth } from "./branching.js";
import { cumulative, epsilon, firstExceeding, ROW_SUM, SLACK } from "./channel.js";
import { drawsOf } from "./protocol.js";
import { keepsNoise } from "./questions.js";
import { Refusal } from "./refusal.js";
import { NOT_DRAWN } from "./report.js";

const MAX_CELLS = 254;

/** The most combinations of answers, possible or not, that cells are looked for among. */
const MOST = 2 ** 16;

const DECLINED = "prefer_not_to_say";

/** Where the items of a group stand. @param {SurveyDocument} survey @param {Together} group */
export const placesIn = ({ items }, { questions }) =>
  questions.map((id) => items.findIndex(({ question }) => question === id));

/**
 * The truths of each cell, those of the last question changing fastest.
 * @param {SurveyDocument} survey @param {Together} group
 */
export function cellsOf(survey, group) {
  const places = placesIn(survey, group);
  /** @type {number[][]} */
  let cells = [[]];
  for (const place of places) {
    cells = cells.flatMap((cell) => survey.items[place].truths.map((_one, at) => [...cell, at]));
    if (cells.length > MOST) throw misfit();
  }
  return cells.filter((cell) => isPossible(survey, places, cell));
}

/**
 * Whether all of this can be true, by the rule of `deniable/survey/together.py`: a follow-up applies
 * after the answers that it needs. Who declines has said nothing that could be impossible.
 * @param {SurveyDocument} survey @param {number[]} places @param {number[]} cell
 */
function isPossible({ items, questions }, places, cell) {
  const said = (/** @type {number} */ place) => cell[places.indexOf(place)];
  const code = (/** @type {number} */ place) => items[place].truths[said(place)].code;
  return places.every((place) => {
    const { ask_if = [] } = questions.find(({ id }) => id === items[place].question) ?? {};
    const needed = ask_if.filter(({ item }) => places.includes(item));
    const codes = [place, ...needed.map(({ item }) => item)].map(code);
    if (needed.length === 0 || codes.includes(DECLINED)) return true;
    const holds = needed.every(({ item, answers }) => answers.includes(said(item)));
    const doesApply = said(place) !== skippedTruth(items[place]);
    // What else it needs may fail.
    return doesApply === holds || (!doesApply && needed.length < ask_if.length);
  });
}

const misfit = () =>
  new Refusal("the questions that chance changes together are not as the survey says");

/**
 * Hold each group to its cells, and each of its items to its own part of their channel.
 * @param {SurveyDocument} survey
 */
export function checkTogether(survey) {
  const { items, questions, together = [] } = survey;
  const units = drawsOf(survey).flatMap(({ places }) => places);
  const all = together.flatMap((group) => group.questions);
  const twice = new Set(all).size < all.length;
  for (const group of together) {
    const { questions: ids, other } = group;
    const members = questions.filter(({ id }) => ids.includes(id));
    const own = items.filter(({ question }) => ids.includes(question));
    const isInOrder = (/** @type {string[]} */ found) => String(found) === String(ids);
    if (
      twice ||
      ids.length < 2 ||
      !isInOrder(members.map(({ id }) => id)) ||
      !isInOrder(own.map(({ question }) => question)) ||
      members.some(({ statements, protection }) => statements || protection !== "randomised") ||
      own.slice(1).some(({ permanent }) => permanent) ||
      units.some((unit) => new Set(placesIn(survey, group).map((at) => unit.includes(at))).size > 1)
    )
      throw misfit();
    const cells = cellsOf(survey, group);
    const count = cells.length;
    const kept = ROW_SUM - count * other;
    const isLaw = count >= 2 && count <= MAX_CELLS && kept >= count;
    // In waves it is the noisy cell that is kept which all reports ever are drawn from.
    const permanent = keepsNoise(survey) && own[0].permanent;
    const ε = permanent ? epsilon(permanent) : Math.log((other + kept) / other);
    const fits = own.every(
      ({ weights, epsilon: label }, at) =>
        ε <= Number(label) + SLACK &&
        weights.every((row, truth) =>
          row.every((weight, report) => {
            const size = cells.filter((cell) => cell[at] === report).length;
            const isPart = weight === size * other + (truth === report ? kept : 0);
            return isPart && size > 0 && row.length === weights.length;
          }),
        ),
    );
    if (!isLaw || !fits) throw misfit();
  }
}

/** Of which group an item is a part. @param {SurveyDocument} survey @param {Item} item */
export const groupOf = ({ together = [] }, { question }) =>
  together.find(({ questions }) => questions.includes(question));

/**
 * The table of one report of an item, of a group with a row for each cell.
 * @param {SurveyDocument} survey @param {Item} item
 */
export function tableOf(survey, item) {
  const group = groupOf(survey, item);
  if (!group) return item.weights;
  const cells = cellsOf(survey, group);
  const own = ROW_SUM - (cells.length - 1) * group.other;
  return cells.map((_cell, at) => cells.map((_other, to) => (to === at ? own : group.other)));
}

/**
 * The groups whose answers cannot all be true, as the places of their items.
 * @param {SurveyDocument} survey @param {number[]} truths
 */
export const contradictions = (survey, truths) =>
  (survey.together ?? [])
    .map((group) => placesIn(survey, group))
    .filter(
      (places) =>
        !isPossible(
          survey,
          places,
          places.map((place) => truths[place]),
        ),
    );

/**
 * Draw what is reported of each group, by the word of its first item, in place of what was drawn of
 * its items. In waves the report of each cell is ready.
 * @param {SurveyDocument} survey @param {number[]} truths @param {Uint32Array} words
 * @param {number[]} bytes @param {number[][]} ready @returns {number[]}
 */
export function withGroups(survey, truths, words, bytes, ready) {
  const sent = [...bytes];
  for (const group of survey.together ?? []) {
    const places = placesIn(survey, group);
    const asked = places.filter((place) => bytes[place] < NOT_DRAWN);
    if (asked.length === 0) continue;
    const cells = cellsOf(survey, group);
    const own = String(places.map((place) => truths[place]));
    const truth = cells.findIndex((cell) => String(cell) === own);
    if (truth < 0 || asked.length < places.length) throw misfit();
    const [first] = places;
    const row = cumulative(tableOf(survey, survey.items[first])[truth]);
    const report =
      cells[keepsNoise(survey) ? ready[first]?.[truth] : firstExceeding(row, words[first])];
    if (!report) throw misfit();
    places.forEach((place, at) => (sent[place] = report[at]));
  }
  return sent;
}

/** Whether one ε covers an earlier question too. @param {SurveyDocument} survey @param {string} id */
export const isDrawnWithAnother = ({ together = [] }, id) =>
  together.some(({ questions }) => questions.indexOf(id) > 0);

/** Marks of all that is sent as one, for each item. @param {SurveyDocument} survey @param {string[]} marks */
export const marksTogether = (survey, marks) =>
  survey.items.map((item, at) => {
    const group = groupOf(survey, item);
    return group ? String(placesIn(survey, group).map((place) => marks[place])) : marks[at];
  });

/**
 * A memory by which nothing of a group is due where a part was reported before, and all has one price.
 * @param {SurveyDocument} survey @param {Memory} memory @returns {Memory}
 */
export const byGroups = (survey, memory) => ({
  ...memory,
  due: (asked) => {
    const due = memory.due(asked);
    for (const group of survey.together ?? []) {
      const places = placesIn(survey, group);
      const all = places.every((place) => due[place]);
      places.forEach((place) => (due[place] = all));
    }
    return due;
  },
  price: (due) =>
    memory.price(
      survey.items.map(({ question }, at) => due[at] && !isDrawnWithAnother(survey, question)),
    ),
});
