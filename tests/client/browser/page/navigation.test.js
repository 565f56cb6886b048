/** Where somebody is in a survey, where they go on, and what is on the screen there. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  arriveAt,
  goOn,
  mistakesOn,
  pagesOf,
  sceneOf,
  START,
  toChange,
} from "../../../../client/browser/page/navigation.js";
import { freshDocument } from "../vectors.js";

/** @param {string} id @param {boolean} [asked] @returns {Entry} */
const entry = (id, asked = true) =>
  /** @type {any} */ ({ question: { id }, control: asked ? {} : undefined });

const [A, B, C] = ["a", "b", "c"].map((id) => entry(id));
const PAGES = [[], [A], [B], [C]];
const REVIEW = { place: 4 };

/**
 * @param {Entry[]} skipped
 * @param {Entry[]} missing
 * @returns {Reading}
 */
const reading = (skipped = [], missing = []) => ({
  truths: [],
  given: [],
  skipped: new Set(skipped),
  mistakes: missing.map((one) => /** @type {any} */ ({ entry: one, instruction: "!" })),
});

test("a page to begin with, and one for each question that is asked", () => {
  const survey = freshDocument();
  assert.deepEqual(pagesOf(survey, [A, entry("kept", false), B]), [[], [A], [B]]);
  assert.deepEqual(pagesOf({ ...survey, pages: "one" }, [A, B]), [[A, B]]);
  assert.deepEqual(pagesOf({ ...survey, pages: undefined }, [A]), [[], [A]]);
  assert.deepEqual(pagesOf({ ...survey, pages: undefined, kind: "meeting" }, [A]), [[A]]);
});

test("the button leads to the next page that applies, and from the last to the review", () => {
  assert.deepEqual(goOn(PAGES, START, reading(), false), { place: 1 });
  assert.deepEqual(goOn(PAGES, START, reading([A, B]), false), { place: 3 });
  assert.deepEqual(goOn(PAGES, { place: 3 }, reading(), false), REVIEW);
  assert.deepEqual(goOn(PAGES, { place: 1 }, reading([B, C]), false), REVIEW);
});

test("from an answer that is changed it leads back to the review", () => {
  assert.deepEqual(goOn(PAGES, toChange(PAGES, A), reading(), false), REVIEW);
});

test("the questions about the protection stand between the first page and the next", () => {
  const clear = goOn(PAGES, START, reading(), true);
  assert.deepEqual(clear, { place: 0, clear: true });
  assert.deepEqual(goOn(PAGES, clear, reading(), true), { place: 1 });
});

test("nobody arrives where nothing applies, but where some of it does", () => {
  assert.equal(arriveAt(PAGES, { place: 2 }, reading([B])), undefined);
  const together = [[A, B]];
  assert.deepEqual(arriveAt(together, START, reading([B])), START);
  assert.equal(arriveAt(together, START, reading([A, B])), undefined);
  assert.deepEqual(arriveAt(PAGES, START, reading([A, B, C])), START);
});

test("who would come to the review comes to the first answer that is missing", () => {
  assert.deepEqual(arriveAt(PAGES, REVIEW, reading()), REVIEW);
  assert.deepEqual(arriveAt(PAGES, REVIEW, reading([], [B, C])), { place: 2, entry: B });
  assert.deepEqual(arriveAt(PAGES, { place: 1 }, reading([], [B])), { place: 1 });
});

test("what is missing counts on its own page, and all of it on the review", () => {
  const all = reading([], [A, C]);
  const names = (/** @type {Mistake[]} */ mistakes) => mistakes.map((one) => one.entry.question.id);
  assert.deepEqual(names(mistakesOn([A], all)), ["a"]);
  assert.deepEqual(names(mistakesOn([B], all)), []);
  assert.deepEqual(names(mistakesOn(undefined, all)), ["a", "c"]);
});

test("the first page leads on with a start, or asks all of it", () => {
  const nothing = { shows: "questions", back: false, progress: undefined };
  assert.deepEqual(sceneOf(PAGES, START, reading()), { ...nothing, entries: [], button: "start" });
  assert.deepEqual(sceneOf([[A, B]], START, reading()), {
    ...nothing,
    entries: [A, B],
    button: "continue",
  });
});

test("a page counts itself among those that apply or may yet apply", () => {
  const at = (/** @type {number} */ place, /** @type {Entry[]} */ skipped) =>
    sceneOf(PAGES, { place }, reading(skipped)).progress;
  assert.deepEqual(at(1, []), { number: 1, of: 3 });
  assert.deepEqual(at(3, [B]), { number: 2, of: 2 });
  assert.deepEqual(at(1, [B]), { number: 1, of: 3 });
});

test("the review sends, and the questions about the protection lead on", () => {
  assert.deepEqual(sceneOf(PAGES, REVIEW, reading()), {
    shows: "review",
    entries: [],
    button: "send",
    back: true,
  });
  assert.deepEqual(sceneOf(PAGES, { place: 0, clear: true }, reading()), {
    shows: "clear",
    entries: [],
    button: "continue",
    back: true,
  });
});
