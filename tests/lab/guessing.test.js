/** What readers say before they are shown: numbers as people write them, and what is close. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { isRight, judged, numbersIn } from "../../lab/static/guessing.js";

test("numbers are read as people write them", () => {
  const read = (/** @type {string} */ text) => numbersIn(text, false);
  const texts = [
    "29,5",
    "0,095",
    "−0.5",
    "± 3",
    "1/20",
    "400 times",
    "75 %",
    "75%",
    "1,200",
    "$10.52",
  ];
  assert.deepEqual(texts.map(read), [
    ...[[29.5], [0.095], [-0.5], [3], [0.05], [400], [0.75], [0.75], [1200], [10.52]],
  ]);
  for (const text of ["many", "", " ", "3 or 4", "1/0", "%"]) assert.deepEqual(read(text), []);
});

test("where percent is asked for, a share is one too, unless percent is said", () => {
  for (const said of ["30", "30 %", "30%", "0.3", "0,3", "3/10"])
    assert.ok(isRight(said, "30", "0", true), said);
  for (const said of ["0.3 %", "3", "0.030", "30/1000", "0.003"])
    assert.equal(isRight(said, "30", "0", true), false, said);
  for (const said of ["0.75", "3/4", "75 %", "0,75"]) assert.ok(isRight(said, "0.75", "0"), said);
  assert.equal(isRight("0.75 %", "0.75", "0"), false);
});

test("an answer is right within what is allowed, or as the option says", () => {
  assert.ok(isRight("0.1", "0.3", "0.2"));
  assert.ok(!isRight("0.09", "0.3", "0.2"));
  assert.equal(isRight("many", "0.3", "0.2"), undefined);
  assert.ok(isRight("30", "30", "0"));
  assert.ok(isRight("Yes", "Yes", undefined));
  assert.ok(!isRight("No", "Yes", undefined));
});

test("a guess is judged by how far off it is of all that could be guessed", () => {
  const said = [50, 53, 60, 80, 20].map((guess) => judged(guess, 50, [0, 100]));
  assert.deepEqual(said, [
    "Well guessed.",
    "Well guessed.",
    "Close.",
    "It is less.",
    "It is more.",
  ]);
  assert.equal(judged(2, 1, [1, 1000], true), "Close.");
  assert.equal(judged(2, 1, [0, 10]), "Close.");
  assert.equal(judged(0.1, 20, [0.1, 20], true), "It is more.");
});
