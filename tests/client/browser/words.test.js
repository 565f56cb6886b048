/** The sentences of the page, whose numbers come from the channels. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, oddsFactor, whatItReveals } from "../../../client/browser/words.js";
import { freshDocument } from "./vectors.js";

test("a report is decoded into words beside its bytes", () => {
  const lines = decode(freshDocument(), "010001000302");
  assert.deepEqual(lines[0], {
    asked: "Have you used a banned substance in the last 12 months?",
    sent: "Yes",
    byte: "01",
    share: "28 to 72 of 100",
  });
  assert.equal(lines[1].asked, "Which of these have you ever been offered? – Steroids");
  assert.equal(lines[4].sent, "Prefer not to say");
  assert.deepEqual([lines[5].sent, lines[5].share], ["30 or older", "sent as you gave it"]);
});

test("odds are rounded up, but ln 3 is a factor of 3", () => {
  assert.deepEqual([0, 0.5, 1, 1.098613, 3, 8, 30].map(oddsFactor), [
    "1",
    "1.7",
    "2.8",
    "3",
    "21",
    "2,981",
    "more than a million",
  ]);
});

test("what is sent as it is given is said to be revealed", () => {
  const survey = freshDocument();
  assert.equal(whatItReveals(survey).length, 3);
  assert.match(whatItReveals(survey)[1], /a factor of 21 at most/);
  assert.doesNotMatch(whatItReveals(survey).join(" "), /anonym|completely|guarantee/i);
});
