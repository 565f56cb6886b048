/** The sentences of the page, whose numbers come from the channels. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { whatWasDrawn, whatWasDrawnOf } from "../../../../client/browser/page/subset.js";
import { decode, whatItReveals, whenItIsSeen } from "../../../../client/browser/page/words.js";
import { makeReport } from "../../../../client/browser/core/report.js";
import { panel } from "../panel.js";
import { freshAsking, freshDocument } from "../vectors.js";

const sent = (/** @type {string} */ answers) => ({ survey: "", revision: "", id: "", answers });

test("in waves the wave is said last, and that it is sent as it is", () => {
  const [first, ...rest] = decode(panel(), { ...sent("01"), wave: "02" });
  assert.equal(first.sent, "yes");
  const share = "sent as it is: the number of this wave";
  assert.deepEqual(rest, [{ asked: "Which wave this is", sent: "Wave 2", share }]);
});

test("a report is decoded into words, and who sends it is said per truth", () => {
  const lines = decode(freshDocument(), sent("010001000302"));
  const [{ answers, ...first }] = lines;
  assert.equal(answers?.id, "doped");
  assert.deepEqual(first, {
    asked: "Have you used a banned substance in the last 12 months?",
    sent: "Yes",
    share: "72 of 100 people whose answer is “Yes” send this, and 28 of 100 whose answer is “No”",
  });
  assert.equal(lines[1].asked, "Which of these have you ever been offered? – Steroids");
  assert.deepEqual(
    [lines[4].sent, lines[4].share],
    [
      "Skipped",
      "50 of 100 people whose answer is “Skipped” send this, and 17 of 100 whose answer is “No”",
    ],
  );
  assert.deepEqual([lines[5].sent, lines[5].share], ["30 or older", "sent as you gave it"]);
});

test("of a number in codes the range is said from which it is most common", () => {
  const survey = freshAsking();
  const place = survey.items.findIndex(({ id }) => id === "years");
  const said = (/** @type {number} */ report) => {
    const bytes = survey.items.map((_item, at) => (at === place ? report : 255));
    return decode(survey, makeReport(survey, "", bytes))[place];
  };
  const column = (/** @type {number} */ report) =>
    survey.items[place].weights.map((row) => row[report]);
  for (const report of survey.items[place].reports.keys()) {
    const [, from, to] = said(report).share.match(/between (\d+) and (\d+)$/) ?? [];
    if (from === undefined) continue;
    const inside = column(report).slice(Number(from), Number(to) + 1);
    // Nobody outside of it sends it as often as anybody inside.
    const outside = column(report).filter((_chance, at) => at < Number(from) || at > Number(to));
    assert.ok(Math.min(...inside) > Math.max(...outside));
  }
  assert.equal(said(3).share, "most common if the answer is between 0 and 25");
  // Which nobody but those sends often who would rather not say.
  for (const row of survey.items[place].weights) row[3] = 1;
  survey.items[place].weights[survey.items[place].truths.length - 1][3] = 2 ** 31;
  assert.match(said(3).share, /^\d+ of 100 people whose answer is “.*” send this/);
});

test("what was not asked is said to be", () => {
  const lines = decode(freshAsking(), sent("00ffffffffffffff03ff01ff02"));
  assert.deepEqual(lines[0].sent, "No");
  assert.deepEqual(
    [lines[1].asked, lines[1].sent, lines[1].share],
    ["Which of these have you ever been offered? – Steroids", "Not asked", "–"],
  );
});

test("what was drawn is said, and that it is revealed", () => {
  const survey = freshAsking();
  const drawn = () => (survey.ask ? whatWasDrawn(survey.ask, survey) : "");
  assert.match(drawn(), /^Your browser chose 2 of 4 questions for you at random\./);
  assert.match(drawn(), /which\. Apart from those 4, everyone is asked every question\.$/);
  assert.match(drawn(), /The report shows which\./);
  survey.questions = survey.questions.slice(0, 4);
  survey.items = survey.items.slice(0, 9);
  assert.doesNotMatch(drawn(), /everyone/);
  const drawnOf = (/** @type {number} */ place) => {
    const question = survey.questions[place];
    return whatWasDrawnOf(question.ask ?? 0, survey, question);
  };
  assert.match(drawnOf(1), /chose 2 of 4 options for you/);
  assert.match(drawnOf(2), /chose 1 of 3 rows for you/);
  // What a device keeps for all waves is the same in all its reports.
  assert.doesNotMatch(drawn() + drawnOf(1), /Later waves/);
  survey.waves = { count: 2, once: 1, changing: null };
  assert.match(drawn(), /Later waves ask the same ones/);
  assert.match(drawnOf(1), /Later waves ask the same ones/);
  survey.waves = { count: 2, people: "others" };
  assert.doesNotMatch(drawn() + drawnOf(1), /Later waves/);
  delete survey.waves;
  assert.match(whatItReveals(survey).join(" "), /It does reveal what you were asked/);
  delete survey.ask;
  assert.match(whatItReveals(survey).join(" "), /It does reveal what you were asked/);
  assert.doesNotMatch(whatItReveals(freshDocument()).join(" "), /you were asked/);
});

test("reports that are not named after answers are said to be codes", () => {
  assert.match(whatItReveals(freshAsking()).join(" "), /“Report 1” and the like are codes/);
  assert.doesNotMatch(whatItReveals(freshDocument()).join(" "), /codes/);
});

test("what is sent as it is given is said to be revealed", () => {
  const survey = freshDocument();
  assert.equal(whatItReveals(survey).length, 2);
  assert.match(whatItReveals(survey)[1], /Unprotected answers are sent as you give them/);
  assert.doesNotMatch(whatItReveals(survey).join(" "), /anonym|completely|guarantee/i);
});

test("that each report is shown as it comes is said where it is so", () => {
  assert.deepEqual(whenItIsSeen(freshDocument()), []);
  assert.deepEqual(whenItIsSeen({ ...freshDocument(), batch: 10 }), []);
  assert.match(whenItIsSeen({ ...freshDocument(), batch: 1 })[0], /as soon as it arrives\./);
});
