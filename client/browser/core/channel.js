/**
 * The channel: the distribution of a report given the truth, from which it is drawn from the truth.
 *
 * A table of integer weights, a row per truth and a column per report; each row sums to 2^32. The
 * browser receives the integers and never computes weights from ε: `Math.exp` and `Math.log` differ
 * between browsers in the last digit, integers do not.
 */

import { Refusal } from "./refusal.js";

/** What the weights of a row sum to: the number of values of one 32-bit word. */
export const ROW_SUM = 2 ** 32;

/** Far above what `Math.log` can be wrong by, far below the millionths in which ε is printed. */
export const SLACK = 1e-12;

/** Byte 255 is reserved, so a channel has at most this many reports. */
export const MAX_REPORTS = 255;

/**
 * Whether a value is a whole number of at least 0. JSON also knows -0: whatever is divided by it is
 * below nothing, and no bound.
 * @param {any} value
 */
export const isNatural = (value) => Number.isInteger(value) && value >= 0 && !Object.is(value, -0);

/**
 * Refuse a table that is not a channel.
 * @param {unknown} weights
 * @returns {asserts weights is number[][]}
 */
export function checkWeights(weights) {
  if (!Array.isArray(weights) || weights.length < 2)
    throw new Refusal("a channel needs two truths");
  for (const row of weights) {
    if (!Array.isArray(row) || row.length !== weights[0].length) {
      throw new Refusal("the rows of a channel differ in length");
    }
    if (row.length < 2 || row.length > MAX_REPORTS)
      throw new Refusal("a channel has 2 to 255 reports");
    if (!row.every(isNatural)) {
      throw new Refusal("weights are integers of at least 0");
    }
    // Exact: every partial sum is far below 2^53.
    if (row.reduce((sum, weight) => sum + weight, 0) !== ROW_SUM) {
      throw new Refusal("a row of weights does not sum to 2^32");
    }
  }
}

/**
 * The privacy loss ε of a channel: the logarithm of the largest ratio within a column.
 * @param {number[][]} weights
 * @returns {number} Infinity where a report is possible for some truths only.
 */
export function epsilon(weights) {
  let largest = 1;
  for (let report = 0; report < weights[0].length; report += 1) {
    const column = weights.map((row) => row[report]);
    const [most, least] = [Math.max(...column), Math.min(...column)];
    // In no arithmetic is it less where a report is possible for some truths only.
    if (most > 0) largest = least > 0 ? Math.max(largest, most / least) : Infinity;
  }
  return Math.log(largest);
}

/** Running sums: the thresholds that a word is compared with. @param {number[]} row */
export function cumulative(row) {
  let sum = 0;
  return row.map((weight) => (sum += weight));
}

/**
 * The index of the first running sum that exceeds the word. Over all words each index comes up
 * exactly as often as its weight: no rounding, no `%`, nothing to reject.
 * @param {number[]} sums
 * @param {number} word
 */
export function firstExceeding(sums, word) {
  return sums.findIndex((sum) => sum > word);
}

/**
 * Draw a report.
 * @param {number[][]} weights
 * @param {number} truth index of a row
 * @param {number} word a uniform 32-bit word, 0 to 2^32 - 1
 * @returns {number} index of a column
 */
export function sample(weights, truth, word) {
  return firstExceeding(cumulative(weights[truth]), word);
}
