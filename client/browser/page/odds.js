/**
 * Numbers in 100, and the tier of each: what 50 in 100 can become by a law, or by several together.
 *
 * Where one truth makes a report three times as likely as another, 50 in 100 become 75 at most. All
 * ratios are those of the integers that this device samples from, and numbers are rounded up but for a
 * millionth: the 4 to 1 of a flip of 1/5 is 4.000000004 in integers.
 */

import { isDrawnWithAnother } from "../core/together.js";
import { dearest } from "../core/protocol.js";
import { say } from "./say.js";

/** @type {Ratio} */
const NOTHING = [1n, 1n];

/** A quotient of two whole numbers; one by 0 has no bound. @typedef {[bigint, bigint]} Ratio */

/** Up to how many in 100 each of them is said. @type {[number, Tier][]} */
const TIERS = [
  [75, "unsure"],
  [90, "hint"],
  [95, "often"],
  [100, "always"],
];

/** @param {number} inHundred */
export const tierOf = (inHundred) => TIERS.find(([most]) => inHundred <= most)?.[1] ?? "always";

/** @param {number} inHundred */
export const atMost = (inHundred) =>
  inHundred < 100
    ? say("{count} in 100 at most", { count: inHundred })
    : say("more than 99 in 100");

/**
 * What 50 in 100 can become by an ε. It was rounded up by at most a millionth, which is undone first,
 * so that ln 3 is 75 and not 76.
 * @param {number} epsilon
 */
export const mostBy = (epsilon) => atMost(Math.ceil(100 - 100 / (1 + Math.exp(epsilon - 1e-6))));

/** What 50 in 100 can become, rounded up: 100 says that 99 is not the end. @param {Ratio} ratio */
export const inHundred = ([most, least]) => {
  const [own, other] = [999_999n * most, 1_000_000n * least];
  return Number((100n * own + own + other - 1n) / (own + other));
};

/**
 * The largest ratio between the chances of a report.
 * @param {number[][]} weights
 * @returns {Ratio}
 */
export function ratioOf(weights) {
  /** @type {Ratio} */
  let largest = [1n, 1n];
  for (const report of weights[0].keys()) {
    const column = weights.map((row) => row[report]);
    /** @type {Ratio} */
    const ratio = [BigInt(Math.max(...column)), BigInt(Math.min(...column))];
    if (isAbove(ratio, largest)) largest = ratio;
  }
  return largest;
}

/**
 * Of the dearest question, and of the dearest that one person can be asked together.
 * @param {SurveyDocument} survey
 * @param {(item: Item) => Ratio} law
 */
export function inHundreds(survey, law) {
  const of = (/** @type {Item} */ item) => (item.epsilon === null ? NOTHING : law(item));
  const own = survey.questions.filter(
    ({ id }) => !(survey.together && isDrawnWithAnother(survey, id)),
  );
  const each = own.map((question) => {
    const items = survey.items.filter((item) => item.question === question.id);
    return multiply(items.map(of), mostAsked(survey, question, items));
  });
  return { one: inHundred(multiply(each, 1)), all: inHundred(dearest(survey, of, multiply)) };
}

/**
 * How many of its items one person is asked at most.
 * @param {SurveyDocument} survey @param {Question} question @param {Item[]} items
 */
function mostAsked(survey, { id, ask }, items) {
  const { count = 0, questions = [id] } = survey.ask ?? {};
  if (ask || questions.includes(id)) return ask;
  const units = items.filter((item) => questions.includes(item.id)).length;
  return items.length - units + Math.min(units, count);
}

/**
 * What the largest of them are together: chance is drawn for each apart, so they multiply.
 * @param {Ratio[]} ratios
 * @param {number} [count] all of them if none is given
 */
function multiply(ratios, count) {
  return [...ratios]
    .sort((one, other) => Number(isAbove(other, one)) - Number(isAbove(one, other)))
    .slice(0, count)
    .reduce(([most, least], [a, b]) => [most * a, least * b], NOTHING);
}

/** @param {Ratio} one @param {Ratio} other */
const isAbove = ([a, b], [c, d]) => a * d > c * b;
