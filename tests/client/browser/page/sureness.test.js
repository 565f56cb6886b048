/** How sure somebody could get: the same numbers, tiers and words as in Python. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { mostBy, ratioOf, tierOf, upTo } from "../../../../client/browser/page/odds.js";
import { implication, sureness, tierOfOne } from "../../../../client/browser/page/sureness.js";
import { enumerated, freshDocument, surenesses } from "../vectors.js";

for (const { name, document, one, all, changing, tier, colours, sentences } of surenesses) {
  test(`${name}: the numbers and the tier are those worked out by hand`, () => {
    const found = sureness(document);
    assert.deepEqual(
      [found?.one, found?.all, found?.changing ?? null, found?.tier],
      [one, all, changing, tier],
    );
    assert.deepEqual(
      found && [...found.bounds, ...found.changes].map(({ colour }) => colour),
      colours,
    );
    assert.deepEqual(implication(document), sentences);
    const told = document.questions
      .filter(({ protection }) => protection === "randomised")
      .map((question) => tierOfOne(document, question));
    assert.equal(told.includes(tier), told.length > 0);
    assert.equal(found?.inShort[0].text.includes(upTo(one)), found && true);
  });
}

test("of 200 surveys all bounds are those of every report of every person", () => {
  assert.equal(enumerated.length, 200);
  for (const { tables, ask, numbers } of enumerated) {
    const found = sureness(surveyOf(tables, ask));
    assert.deepEqual([found?.one, found?.all], numbers.slice(0, 2), JSON.stringify(tables));
  }
});

/** A survey of a question for each table. @param {number[][][]} tables @param {number} ask */
function surveyOf(tables, ask) {
  const named = (/** @type {unknown[]} */ those) =>
    those.map((_one, at) => ({ code: `c${at}`, text: `C${at}` }));
  const questions = tables.map((_table, at) => ({ id: `q${at}`, text: "Q", type: "single" }));
  const items = tables.map((weights, at) => ({
    ...{ id: `q${at}`, question: `q${at}`, text: "Q", epsilon: 1, weights },
    ...{ truths: named(weights), reports: named(weights[0]) },
  }));
  const units = questions.map(({ id }) => id);
  return /** @type {SurveyDocument} */ (
    /** @type {unknown} */ ({
      questions,
      items,
      ...(ask && { ask: { count: ask, questions: units } }),
    })
  );
}

test("what an ε allows is rounded up, but ln 3 is 75 in 100", () => {
  const said = [0, 1, 1.098613, 3, 4.6, 30].map((epsilon) => mostBy(epsilon));
  const most = [50, 74, 75, 96].map((count) => `${count}\u00a0% sure at most`);
  assert.deepEqual(said, [...most, "more than 99\u00a0% sure", "more than 99\u00a0% sure"]);
});

test("what is printed decides nothing: the weights do", () => {
  for (const { document, one, all } of surenesses) {
    document.epsilon = 0.1;
    for (const item of document.items) item.epsilon &&= 0.1;
    const found = sureness(document);
    assert.deepEqual([found?.one, found?.all], [one, all]);
  }
});

test("the tiers end where they say", () => {
  assert.deepEqual([50, 75, 76, 90, 91, 95, 96, 100].map(tierOf), [
    ...["hint", "hint", "strong hint", "strong hint"],
    ...Array(4).fill("close to proof"),
  ]);
});

test("a ratio is that of the two weights themselves", () => {
  assert.deepEqual(
    ratioOf([
      [3221225473, 1073741823],
      [1073741824, 3221225472],
    ]),
    [3221225472n, 1073741823n],
  );
  // Where somebody sends what others never do, nothing bounds it.
  const open = ratioOf([
    [2 ** 32, 0],
    [2 ** 31, 2 ** 31],
  ]);
  assert.equal(open[1], 0n);
});

test("where nothing is randomised nothing is said to be protected", () => {
  const survey = freshDocument();
  for (const item of survey.items) item.epsilon = null;
  assert.equal(sureness(survey), undefined);
  const [said, ...more] = implication(survey);
  assert.match(said, /can read your answers\.$/);
  assert.deepEqual(more, []);
});
