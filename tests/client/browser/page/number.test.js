/** Which number was typed, and what to say of one that is not asked for. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { levelOf, problemWith } from "../../../../client/browser/page/number.js";

const HALVES = ["-1", "-0.5", "0", "0.5", "1"];
const AGES = ["18", "19", "20"];

test("a number is read as people write it", () => {
  for (const typed of ["0.5", " 0,5 ", "0.50", ".5"])
    assert.equal(levelOf(HALVES, typed), 3, typed);
  assert.equal(levelOf(HALVES, "−0,5"), 1);
  assert.equal(levelOf(AGES, "18.0"), 0);
});

test("what is no level is no answer", () => {
  for (const typed of ["", " ", "0.4", "2", "one", "1e9"]) {
    assert.equal(levelOf(HALVES, typed), undefined, typed);
  }
});

test("it is said which numbers there are, and the step only where it is not one", () => {
  assert.equal(problemWith(AGES, "17"), "The number must be from 18 to 20");
  assert.equal(problemWith(AGES, "old"), "Enter a number from 18 to 20");
  assert.equal(problemWith(HALVES, "7"), "The number must be from -1 to 1, in steps of 0.5");
  assert.equal(problemWith(HALVES, ""), "Enter a number from -1 to 1, in steps of 0.5");
});
