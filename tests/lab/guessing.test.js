/** What readers say before they are shown: numbers as people write them, and what is close. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { isRight, judged, numberIn } from "../../lab/static/guessing.js";
import { lines } from "../../lab/static/saving.js";

test("numbers are read as people write them", () => {
  assert.deepEqual(["30 %", "29,5", "−0.5", "± 3"].map(numberIn), [30, 29.5, -0.5, 3]);
  assert.ok(Number.isNaN(numberIn("many")));
});

test("an answer is right within what is allowed, or as the option says", () => {
  assert.ok(isRight("0.1", "0.3", "0.2"));
  assert.ok(!isRight("0.09", "0.3", "0.2"));
  assert.ok(!isRight("many", "0.3", "0.2"));
  assert.ok(isRight("30", "30", "0"));
  assert.ok(isRight("Yes", "Yes", undefined));
  assert.ok(!isRight("No", "Yes", undefined));
});

test("a guess is judged by how far off it is of all that could be guessed", () => {
  const said = [50, 53, 60, 80, 20].map((guess) => judged(guess, 50, 100));
  assert.deepEqual(said, [
    "Well guessed.",
    "Well guessed.",
    "Close.",
    "It is less.",
    "It is more.",
  ]);
});

test("a caption is broken between words", () => {
  assert.deepEqual(lines("one two three four", 8), ["one two", "three", "four"]);
});
