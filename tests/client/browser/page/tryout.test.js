/** Made-up reports are spread as the law says, and never touch the chance of the report. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { ROW_SUM } from "../../../../client/browser/core/channel.js";
import { madeUpReports } from "../../../../client/browser/page/tryout.js";

const WEIGHTS = [
  [ROW_SUM * 0.75, ROW_SUM * 0.25, 0],
  [ROW_SUM / 8, ROW_SUM / 2, (ROW_SUM * 3) / 8],
];

/** @param {number} truth @param {number} taps */
const counts = (truth, taps) => {
  const all = Array.from({ length: taps }, (_, tap) => madeUpReports(WEIGHTS, truth, tap)).flat();
  return [0, 1, 2].map((report) => all.filter((one) => one === report).length);
};

test("each tap shows about as many of each report as the law says, in the long run exactly", () => {
  for (let tap = 0; tap < 50; tap += 1) {
    const made = madeUpReports(WEIGHTS, 0, tap);
    assert.equal(made.length, 10);
    assert.ok([2, 3].includes(made.filter((one) => one === 1).length), String(made));
  }
  for (const truth of [0, 1]) {
    const found = counts(truth, 1000);
    WEIGHTS[truth].forEach((weight, report) => {
      assert.ok(Math.abs(found[report] - (10_000 * weight) / ROW_SUM) <= 3, String(found));
    });
  }
});

test("taps differ, and each can be made again: nothing is drawn for it", () => {
  const { random } = Math;
  const { getRandomValues } = crypto;
  Math.random = crypto.getRandomValues = () => assert.fail("chance was drawn");
  try {
    assert.deepEqual(madeUpReports(WEIGHTS, 1, 3), madeUpReports(WEIGHTS, 1, 3));
    assert.notDeepEqual(madeUpReports(WEIGHTS, 1, 3), madeUpReports(WEIGHTS, 1, 4));
  } finally {
    Math.random = random;
    crypto.getRandomValues = getRandomValues;
  }
});
