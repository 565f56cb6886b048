/** From what stands in the page's inputs to a truth for each item. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { chosen, readAnswers, Unanswered } from "../../../../client/browser/page/answers.js";

const [NO, YES, NOT] = ["no", "yes", "does_not_apply"].map((code) => ({ code, text: code }));
const SURVEY = /** @type {any} */ ({
  branch: "hidden",
  items: [{ truths: [NO, YES] }, { truths: [NO, YES, NOT] }, { truths: [NO, YES, NOT] }],
});

/**
 * A question of one item, for those who said yes to the one before it if there is one.
 * @param {number} place
 * @param {(() => number[]) | undefined} read
 * @returns {Entry}
 */
function entry(place, read) {
  const ask_if = place > 0 ? [{ item: place - 1, answers: [1] }] : undefined;
  const control = read && { read };
  return /** @type {any} */ ({ question: { id: `${place}`, ask_if }, places: [place], control });
}

/** @param {string} row @returns {Gap} */
const gap = (row) => /** @type {any} */ ({ control: `field ${row}`, instruction: "Choose", row });

/** @returns {number[]} */
const missing = () => {
  throw new Unanswered([gap("1"), gap("3")]);
};

test("answers become truths", () => {
  const { truths, mistakes, skipped } = readAnswers(SURVEY, [
    entry(0, () => [1]),
    entry(1, () => [1]),
    entry(2, () => [0]),
  ]);
  assert.deepEqual([truths, mistakes, skipped.size], [[1, 1, 0], [], 0]);
});

test("what does not apply is not read, nor what depends on it, and is true to be skipped", () => {
  const never = () => assert.fail("was read");
  const later = [entry(1, never), entry(2, never)];
  const reading = readAnswers(SURVEY, [entry(0, () => [0]), ...later]);
  assert.deepEqual(reading.truths, [0, 2, 2]);
  assert.deepEqual([...reading.skipped], later);
  assert.deepEqual(reading.mistakes, []);
});

test("all that is missing is told, each with the field where it is mended", () => {
  const first = entry(0, missing);
  const { mistakes, truths } = readAnswers(SURVEY, [first]);
  assert.deepEqual(mistakes, [
    { entry: first, ...gap("1") },
    { entry: first, ...gap("3") },
  ]);
  assert.deepEqual(truths, [0, 0, 0]);
});

test("the first answer is no gap", () => {
  assert.equal(
    chosen(0, () => assert.fail("was asked where")),
    0,
  );
  assert.throws(() => chosen(undefined, () => gap("2")), Unanswered);
});

test("what was answered before has no control, and nothing that needs it applies", () => {
  const later = entry(1, () => [1]);
  const { skipped, mistakes } = readAnswers(SURVEY, [entry(0, undefined), later]);
  assert.deepEqual([[...skipped], mistakes], [[later], []]);
});

test("an error that is no missing answer is not swallowed", () => {
  const broken = entry(0, () => {
    throw new TypeError("broken");
  });
  assert.throws(() => readAnswers(SURVEY, [broken]), TypeError);
});
