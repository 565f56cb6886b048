/** The made-up people of the lab: drawn by the shipped sampler, and counted right. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { reports, tally } from "../../lab/static/people.js";

const ROW = 2 ** 32;
const COINS = [
  [0.75 * ROW, 0.25 * ROW],
  [0.25 * ROW, 0.75 * ROW],
];
const names = ["No", "Yes"];
const crowd = {
  weights: COINS,
  people: [8000, 2000],
  contributions: [-0.5, 1.5],
  truth: 1,
  names,
};

test("each person reports by the row of their truth", () => {
  const drawn = reports(crowd);
  assert.equal(drawn.filter(({ truth }) => truth === 1).length, 2000);
  for (const truth of [0, 1]) {
    const those = drawn.filter((one) => one.truth === truth);
    const yes = those.filter(({ report }) => report === 1).length / those.length;
    // Six standard errors: two in a billion runs fail.
    const error = Math.sqrt((0.25 * 0.75) / those.length);
    assert.ok(Math.abs(yes - (truth === 1 ? 0.75 : 0.25)) < 6 * error, `${yes}`);
  }
});

test("a table of ones and noughts sends the truth", () => {
  const weights = [
    [ROW, 0],
    [0, ROW],
  ];
  assert.ok(reports({ ...crowd, weights }).every(({ truth, report }) => truth === report));
});

test("what came is counted, and the estimate is the mean of the contributions", () => {
  const drawn = [
    ...Array(3).fill({ truth: 1, report: 1 }),
    { truth: 1, report: 0 },
    ...Array(2).fill({ truth: 0, report: 1 }),
    ...Array(4).fill({ truth: 0, report: 0 }),
  ];
  // (0.5 - 0.25) / 0.5
  const said = tally(crowd, drawn);
  assert.match(said, /is true of 4 people: 3 of them sent it\. So did 2 of the 6 others\./);
  assert.match(said, /5 in 10 reports are “Yes”, and the estimate is 50 %\./);
  const none = drawn.filter(({ report }) => report === 0);
  assert.match(tally(crowd, none), /the estimate is −50 %/);
});
