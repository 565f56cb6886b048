/** The browser's sampler is exact, and the same as the one in Python. */
// promise: noise

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  checkWeights,
  cumulative,
  epsilon,
  firstExceeding,
  ROW_SUM,
  sample,
} from "../../../../client/browser/core/channel.js";
import { samplers } from "../vectors.js";

for (const { name, weights, words, reports, epsilon: promised } of samplers) {
  test(`the shared tape of words gives the shared reports: ${name}`, () => {
    checkWeights(weights);
    for (const [truth, expected] of Object.entries(reports)) {
      assert.deepEqual(
        words.map((word) => sample(weights, Number(truth), word)),
        expected,
      );
    }
  });

  test(`epsilon is recomputed from the weights: ${name}`, () => {
    if (promised === null) assert.equal(epsilon(weights), Infinity);
    else {
      // The printed one is rounded up to a millionth: never below, never more than that above.
      assert.ok(epsilon(weights) <= promised && promised - epsilon(weights) < 1e-6);
    }
  });
}

test("where a report is possible for some truths only, no arithmetic makes epsilon finite", () => {
  for (const none of [0, -0]) {
    const told = [
      [ROW_SUM, none],
      [none, ROW_SUM],
    ];
    assert.equal(epsilon(told), Infinity);
    assert.equal(epsilon([...told, [ROW_SUM / 2, ROW_SUM / 2]]), Infinity);
  }
});

test("every word of 16 bits, enumerated: each report comes up as often as its weight says", () => {
  // A proof, not a statistic: the sampler knows no word size, so what holds for all words of 16
  // bits holds for 32. Off by one, `%` or a rounded threshold each fail here.
  for (const row of [
    [49152, 16384],
    [1, 65535],
    [0, 32768, 0, 32768],
    [21846, 21845, 21845],
    [65536 - 254 * 100, ...Array(254).fill(100)],
  ]) {
    const counts = row.map(() => 0);
    const sums = cumulative(row);
    for (let word = 0; word < 2 ** 16; word += 1) counts[firstExceeding(sums, word)] += 1;
    assert.deepEqual(counts, row);
  }
});

for (const [what, weights] of Object.entries({
  "not a table": 7,
  "one truth": [[ROW_SUM, 0]],
  "one report": [[ROW_SUM], [ROW_SUM]],
  "ragged rows": [
    [ROW_SUM, 0],
    [ROW_SUM, 0, 0],
  ],
  "a row that sums to less": [
    [ROW_SUM - 1, 0],
    [0, ROW_SUM],
  ],
  "a fraction": [
    [0.5, ROW_SUM - 0.5],
    [0, ROW_SUM],
  ],
  "a negative weight": [
    [-1, ROW_SUM + 1],
    [0, ROW_SUM],
  ],
  "minus zero": [
    [ROW_SUM, -0],
    [-0, ROW_SUM],
  ],
  "numbers written as text": [
    ["1", ROW_SUM - 1],
    [0, ROW_SUM],
  ],
})) {
  test(`no channel: ${what}`, () => assert.throws(() => checkWeights(weights), Error));
}
