/** Each corrected text is told, whatever else has its name or looks like it. */
// promise: revision

import assert from "node:assert/strict";
import { test } from "node:test";

import { corrections } from "../../../../client/browser/page/corrected.js";
import { freshDocument } from "../vectors.js";

test("answers, rows and hints of one code are told apart, and only a logo is a picture", () => {
  const [before, now] = [freshDocument(), freshDocument()];
  for (const [survey, text] of /** @type {[SurveyDocument, string][]} */ ([
    [before, "data: then"],
    [now, "data: now"],
  ])) {
    survey.about = { logo: text };
    const [question] = survey.questions;
    question.hint = `${text}, hint`;
    question.answers[0] = { code: "hint", text: `${text}, answer` };
    question.rows = [{ code: "hint", text: `${text}, row` }];
  }
  assert.deepEqual(corrections(now, before), [
    ["Picture", "", ""],
    ["Question 1, hint", "data: then, hint", "data: now, hint"],
    ["Question 1", "data: then, answer", "data: now, answer"],
    ["Question 1", "data: then, row", "data: now, row"],
  ]);
});
