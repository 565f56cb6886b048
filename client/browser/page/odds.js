/**
 * Numbers in 100, and the tier of each: what 50 in 100 can become by a channel, or by several together.
 *
 * Where one truth makes a report three times as likely as another, 50 in 100 become 75 at most. All
 * ratios are those of the integers that this device samples from, and numbers are rounded up but for a
 * millionth: the 4 to 1 of a flip of 1/5 is 4.000000004 in integers.
 */

import { dearest } from "../core/protocol.js";
import { say } from "./say.js";

/** Of what tells nothing. @type {Ratio} */
export const NOTHING = [1n, 1n];

/** A quotient of two whole numbers; one by 0 has no bound. @typedef {[bigint, bigint]} Ratio */

/** Up to how many in 100 each of them is said. @type {[number, Tier][]} */
const TIERS = [
  [75, "hint"],
  [90, "strong hint"],
  [100, "close to proof"],
];

/** In which colour each is told: calm, or a warning. @type {Record<Tier, Colour>} */
export const COLOURS = { hint: "calm", "strong hint": "amber", "close to proof": "red" };

/** Up to here it is calm how sure someone can get of what many answers point to together. */
const CALM = 95;

/** @param {number} inHundred @param {Colour} [above] @returns {Colour} */
export const colourOfAll = (inHundred, above = "amber") => (inHundred > CALM ? above : "calm");

/** @param {number} inHundred */
export const tierOf = (inHundred) =>
  TIERS.find(([most]) => inHundred <= most)?.[1] ?? "close to proof";

/** @param {number} inHundred */
export const atMost = (inHundred) =>
  inHundred < 100 ? say("{count}\u00a0% sure at most", { count: inHundred }) : moreThan99();

/** @param {number} inHundred */
export const upTo = (inHundred) =>
  inHundred < 100 ? say("up to {count}\u00a0% sure", { count: inHundred }) : moreThan99();

/** The number alone, where it is said before what it is. @param {number} inHundred */
export const percent = (inHundred) =>
  inHundred < 100 ? say("{count}\u00a0%", { count: inHundred }) : say("more than 99\u00a0%");

/** @param {number} count */
export function timesIn100(count) {
  if (count === 0) return say("less than 1 time in 100");
  return count === 1 ? say("1 time in 100") : say("{count} times in 100", { count });
}

const moreThan99 = () => say("more than 99\u00a0% sure");

/**
 * What 50 in 100 can become by an ε. It was rounded up by at most a millionth, which is undone first,
 * so that ln 3 is 75 and not 76.
 * @param {number} epsilon
 */
export const mostBy = (epsilon) => atMost(inHundredBy(epsilon));

/** @param {number} epsilon */
export const inHundredBy = (epsilon) => Math.ceil(100 - 100 / (1 + Math.exp(epsilon - 1e-6)));

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
 * Of the dearest answer by itself, and of the dearest that one person can be asked together.
 * @param {SurveyDocument} survey
 * @param {(item: Item) => Ratio} worstRatio
 */
export function inHundreds(survey, worstRatio) {
  const of = (/** @type {Item} */ item) => (item.epsilon === null ? NOTHING : worstRatio(item));
  const one = multiply(survey.items.map(of), 1);
  return { one: inHundred(one), all: inHundred(dearest(survey, of, multiply)) };
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
