/**
 * Which items this device asks, where the survey leaves that to chance, and what it refuses to ask.
 *
 * Without chances of their own a draw takes the choices of the smallest words. Distinct words are
 * equally likely in every order, so that every set is exactly as likely as any other.
 */

import { ROW_SUM } from "./channel.js";
import { drawsOf } from "./protocol.js";
import { Refusal } from "./refusal.js";
import { NOT_DRAWN } from "./report.js";

/**
 * Draw. What this device drew before, and may have answered, comes first, in the order in which it
 * was drawn: reloading draws nothing new, and a revised survey no more than it lacks.
 * @param {Draw} draw
 * @param {Uint32Array} words one for each choice, all different; where these have chances, one
 * @param {string[]} before
 * @returns {string[]} the choices that are drawn
 */
export function choose({ count, choices, chances }, words, before) {
  const kept = before.filter((choice) => choices.includes(choice)).slice(0, count);
  const rest = choices.filter((choice) => !kept.includes(choice));
  const word = (/** @type {string} */ choice) => words[choices.indexOf(choice)];
  if (!chances) rest.sort((one, other) => word(one) - word(other));
  if (!chances) return [...kept, ...rest].slice(0, count);
  const sets = setsOf([...rest.keys()], count - kept.length);
  const ends = endsOf(
    sets,
    rest.map((choice) => chances[choices.indexOf(choice)]),
  );
  return [...kept, ...sets[ends.findIndex((end) => words[0] < end)].map((place) => rest[place])];
}

/** All sets of so many, in order. @param {number[]} all @param {number} count @returns {number[][]} */
const setsOf = (all, count) =>
  count === 0
    ? [[]]
    : all
        .slice(0, all.length - count + 1)
        .flatMap((one, at) => setsOf(all.slice(at + 1), count - 1).map((more) => [one, ...more]));

/**
 * Below which words each set is drawn: it is as likely as the product of its chances.
 * @param {number[][]} sets @param {number[]} chances
 */
function endsOf(sets, chances) {
  let sum = 0n;
  const sums = sets.map((set) => (sum += set.reduce((all, at) => all * BigInt(chances[at]), 1n)));
  return sums.map((one) => Number((one * BigInt(ROW_SUM) + sum - 1n) / sum));
}

/**
 * Where a unit's items stand: of an item, or of a question and the randomised ones that need its
 * answer, whose answer it needs, or that are sent with it as one.
 * @param {SurveyDocument} survey @param {string} id
 */
export function unitPlaces({ questions, items, together = [] }, id) {
  const links = questions
    .filter(({ protection }) => protection === "randomised")
    .map((one) => [one.id, ...(one.ask_if ?? []).flatMap(({ item }) => ownerOf(items[item]))]);
  links.push(...together.map((group) => group.questions));
  const linked = new Set([id]);
  links.forEach(() => {
    const more = links.filter((link) => link.some((one) => linked.has(one)));
    more.flat().forEach((one) => linked.add(one));
  });
  const named = questions.some((one) => one.id === id);
  return [...items.keys()].filter((at) =>
    named ? linked.has(items[at].question) : items[at].id === id,
  );
}

/** @param {Item | undefined} item */
const ownerOf = (item) => (item && item.epsilon !== null ? [item.question] : []);

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
  for (const draw of draws) {
    const { count, choices, places } = draw;
    const possible = count < choices.length;
    const own = places.flat();
    // A report that is the byte of what was not drawn would not be counted.
    const fit = own.every((place) => {
      const { epsilon, reports } = survey.items[place];
      return epsilon !== null && reports.length <= NOT_DRAWN;
    });
    const once = new Set(own).size === own.length && places.every(({ length }) => length > 0);
    if (!possible || !distinct || !fit || !once || !haveChances(draw)) {
      throw new Refusal("the survey cannot draw questions as it says");
    }
  }
}

/** Whether each set can be drawn. @param {Draw} draw */
function haveChances({ count, choices, chances }) {
  if (chances === undefined) return true;
  const ways = choices
    .slice(0, count)
    .reduce((all, _, at) => (all * (choices.length - at)) / (at + 1), 1);
  if (chances.length !== choices.length || ways > 255) return false;
  const ends = endsOf(setsOf([...choices.keys()], count), chances);
  return ends.every((end, at) => end > (ends[at - 1] ?? 0));
}
