/** What stands under a question: how its answer is sent, and what that proves, for each channel. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { inShort } from "../../../../client/browser/page/randomisation.js";
import { tierOfOne } from "../../../../client/browser/page/sureness.js";

const ALL = 2 ** 32;

/**
 * @param {number[][]} shares of each report, by truth
 * @param {Partial<Question>} [changes]
 */
function said(shares, changes = {}) {
  const answers = ["No", "Yes", "Skip"]
    .slice(0, shares.length)
    .map((text) => ({ code: text, text }));
  const question = { id: "q", text: "Q", type: "single", answers, rows: [], ...changes };
  const weights = shares.map((row) => row.map((share) => share * ALL));
  const item = { id: "q", question: "q", text: "Q", truths: answers, reports: answers, weights };
  const survey = /** @type {SurveyDocument} */ (
    /** @type {unknown} */ ({ questions: [question], items: [{ ...item, epsilon: 1 }] })
  );
  return inShort(survey, survey.questions[0], tierOfOne(survey, survey.questions[0]));
}

const flipped = (/** @type {number} */ flip) => [
  [1 - flip, flip],
  [flip, 1 - flip],
];

test("two coins: the other answer 25 times, and a yes is only a hint", () => {
  assert.equal(
    said(flipped(1 / 4)),
    "Your device sends the other answer 25 times in 100, so a “Yes” is only a hint.",
  );
});

test("of options a tick is reversed", () => {
  assert.match(
    said(flipped(1 / 4), { type: "many" }),
    /reverses each tick 25 .* a tick is only a hint/,
  );
});

test("little noise is not said to prove nothing", () => {
  assert.match(said(flipped(1 / 8)), /other answer 13 times .* is a strong hint, not proof\.$/);
  assert.match(said(flipped(1 / 64)), /other answer 2 times .* comes close to proof\.$/);
  assert.match(said(flipped(1 / 512)), /other answer less than 1 time in 100/);
});

test("of three answers another one is sent", () => {
  const [most, least] = [1 / 2, 1 / 4];
  const rows = [0, 1, 2].map((at) => [0, 1, 2].map((to) => (at === to ? most : least)));
  assert.equal(
    said(rows),
    "Your device sends a different answer 50 times in 100. What is sent is a hint, not proof.",
  );
});

test("answers that are not changed alike are named one by one", () => {
  const rows = [
    [3 / 4, 1 / 4],
    [1 / 2, 1 / 2],
  ];
  assert.match(
    said(rows),
    /^“No” is reversed 25 times in 100, “Yes” 50 times in 100\. What is sent/,
  );
});
