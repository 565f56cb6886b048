/** The visitor's own question: what chance does to an answer, and how it is taken out of the sum. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { crowd, estimated, sent } from "../../lab/static/trying.js";

test("one word in four sends the other answer", () => {
  const words = Uint32Array.of(0, 2 ** 30 - 1, 2 ** 30, 2 ** 32 - 1);
  assert.deepEqual(sent([1, 1, 1, 1], words), [0, 0, 1, 1]);
  assert.deepEqual(sent([0, 0, 0, 0], words), [1, 1, 0, 0]);
});

test("one in ten of the simulated people has a yes", () => {
  const of = (/** @type {number} */ count) => crowd(count).filter((truth) => truth === 1).length;
  assert.deepEqual([of(99), of(10_000)], [9, 1000]);
});

test("the noise is taken out of the share of reports", () => {
  // 30 % of the reports are what a tenth of yes leaves on average: .1 × 3/4 + .9 × 1/4.
  const { yes, percent } = estimated([...Array(30).fill(1), ...Array(70).fill(0)]);
  const [middle, low, high] = percent.map((one) => Number(one.toFixed(6)));
  assert.deepEqual([yes, middle], [30, 10]);
  // 1.96 √(.3 × .7 / 100) / .5 to either side.
  assert.deepEqual([low, high], [-7.963697, 27.963697]);
});
