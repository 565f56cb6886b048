/** The questions about the protection are asked where there is one. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { comprehension } from "../../../../client/browser/page/comprehension.js";
import { freshDocument } from "../vectors.js";

test("nothing is asked of a protection that there is not", () => {
  const survey = freshDocument();
  for (const item of survey.items) item.epsilon = null;
  assert.equal(comprehension(survey, true), undefined);
});

test("of one that there is, it is asked", () => {
  // There is no page here to ask it on.
  assert.throws(() => comprehension(freshDocument(), true), ReferenceError);
});
