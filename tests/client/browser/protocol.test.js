/** The device checks the ε that it is promised (promise 2), and refuses a false label. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { BrokenPromiseError, checkPromise, placesOf } from "../../../client/browser/protocol.js";
import { freshDocument } from "./vectors.js";

test("an honest document passes", () => {
  checkPromise(freshDocument());
});

/** @type {Record<string, (survey: ReturnType<typeof freshDocument>) => void>} */
const lies = {
  "weights that reveal a millionth more than an item's label": ({ items }) => {
    for (const row of items[0].weights) {
      const own = row.indexOf(Math.max(...row));
      row[own] += 10_000;
      row[1 - own] -= 10_000;
    }
  },
  "an item's label that says a millionth less": ({ items }) => {
    items[0].epsilon = /** @type {number} */ (items[0].epsilon) - 1e-6;
  },
  "items that add up to more than the survey's label": (survey) => {
    survey.epsilon = 2.9;
  },
  "a report that only one truth sends": ({ items }) => {
    items[0].weights = [
      [2 ** 32, 0],
      [2 ** 31, 2 ** 31],
    ];
  },
  "a randomised item without an epsilon": ({ items }) => {
    items[0].epsilon = null;
  },
  "an epsilon that is not a number": ({ items }) => {
    items[0].epsilon = NaN;
  },
  "a survey without an epsilon": (survey) => {
    delete (/** @type {any} */ (survey).epsilon);
  },
  "a row that does not sum to 2^32": ({ items }) => {
    items[0].weights[0][0] -= 1;
  },
  "a truth too few": ({ items }) => {
    items[0].truths.pop();
  },
  "an item of no question": ({ items }) => {
    items[0].question = "nobody";
  },
  "a direct item that is randomised after all": ({ items, questions }) => {
    questions[0].protection = "direct";
    items[0].epsilon = null;
  },
};
for (const [what, tell] of Object.entries(lies)) {
  test(`refused: ${what}`, () => {
    const survey = freshDocument();
    tell(survey);
    assert.throws(() => checkPromise(survey), BrokenPromiseError);
  });
}

test("the items of a question are found in the report", () => {
  const survey = freshDocument();
  assert.deepEqual(placesOf(survey, survey.questions[1]), [1, 2, 3]);
});
