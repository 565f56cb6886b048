/** What a question's type says of its items is what the items in the shared vectors are. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { placesOf } from "../../../../client/browser/core/protocol.js";
import { hasSeveralItems, offersYesNo } from "../../../../client/browser/core/questions.js";
import { freshAsking } from "../vectors.js";

test("the type tells what the items of every kind of question are", () => {
  const survey = freshAsking();
  const types = new Set();
  for (const question of survey.questions) {
    types.add(question.type);
    const items = placesOf(survey, question).map((place) => survey.items[place]);
    const ids = items.map(({ id }) => id);
    assert.equal(hasSeveralItems(question), !ids.includes(question.id), question.id);
    const options = question.answers.map(({ code }) => `${question.id}.${code}`);
    assert.equal(offersYesNo(question), ids.join() === options.join(), question.id);
  }
  assert.deepEqual([...types].sort(), ["grid", "many", "number", "single"]);
});
