/** How sure somebody could get: the same numbers, tiers and words as in Python. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { atMost, mostBy, ratioOf, tierOf } from "../../../../client/browser/page/odds.js";
import { implication, sureness } from "../../../../client/browser/page/sureness.js";
import { freshDocument, surenesses } from "../vectors.js";

for (const { name, document, one, all, changing, tier, sentences } of surenesses) {
  test(`${name}: the numbers and the tier are those worked out by hand`, () => {
    const found = sureness(document);
    assert.deepEqual(
      [found?.one, found?.all, found?.changing ?? null, found?.tier],
      [one, all, changing, tier],
    );
    assert.deepEqual(implication(document), sentences);
  });
}

test("what an ε allows is rounded up, but ln 3 is 75 in 100", () => {
  const said = [0, 1, 1.098613, 3, 4.6, 30].map((epsilon) => mostBy(epsilon));
  const most = [50, 74, 75, 96].map((count) => `${count} in 100 at most`);
  assert.deepEqual(said, [...most, "more than 99 in 100", "more than 99 in 100"]);
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
    ...["unsure", "unsure", "hint", "hint"],
    ...["often", "often", "always", "always"],
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

test("nobody is said to be certain", () => {
  assert.equal(atMost(99), "99 in 100 at most");
  assert.equal(atMost(100), "more than 99 in 100");
});

test("where nothing is randomised nothing is said to be protected", () => {
  const survey = freshDocument();
  for (const item of survey.items) item.epsilon = null;
  assert.equal(sureness(survey), undefined);
  const [said, ...more] = implication(survey);
  assert.match(said, /can read your answers\.$/);
  assert.deepEqual(more, []);
});
