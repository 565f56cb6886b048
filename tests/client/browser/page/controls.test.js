/** What stands on a page: grids, the spinner, made-up reports, the protection, other languages. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { ROW_SUM } from "../../../../client/browser/core/channel.js";
import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { toChoose } from "../../../../client/browser/page/choices.js";
import { comprehension } from "../../../../client/browser/page/comprehension.js";
import { fits } from "../../../../client/browser/page/grid.js";
import { reasonOf } from "../../../../client/browser/page/refuse.js";
import { speak } from "../../../../client/browser/page/say.js";
import { drawnAt } from "../../../../client/browser/page/statement.js";
import { inSpokenLanguage } from "../../../../client/browser/page/translation.js";
import { madeUpReports } from "../../../../client/browser/page/tryout.js";
import { largerPanel } from "../panel.js";
import { freshDocument } from "../vectors.js";

test("up to seven columns of short words are a table", () => {
  const seven = [
    "Never",
    "Once",
    "A few times",
    "Monthly",
    "Weekly",
    "Daily",
    "Several times a day",
  ];
  assert.ok(fits(seven));
  assert.ok(!fits([...seven, "No"]));
});

test("a word that would be broken makes no table of it, a long answer of short words does", () => {
  assert.ok(
    fits(["Stimme überhaupt nicht zu", "Stimme eher nicht zu", "Teils, teils", "Stimme zu"]),
  );
  assert.ok(!fits(["Nie", "Gelegentlich", "Manchmal", "Oft", "Sehr oft", "Immer", "Keine Angabe"]));
  assert.ok(fits(["Nie", "Gelegentlich", "Immer"]));
  assert.ok(!fits(["Yes", "Unverhältnismäßigkeitsprinzip", "No"]));
});

test("the pointer stands in its sector, and never within 16 degrees of an edge", () => {
  for (let share = 1; share < 100; share += 1) {
    for (let step = 0; step < 1000; step += 1) {
      const turn = step / 1000;
      const [from, to] = turn < share / 100 ? [0, 3.6 * share] : [3.6 * share, 360];
      const angle = drawnAt(share / 100, turn);
      const least = Math.min(16, (to - from) / 2) - 1e-9;
      assert.ok(angle - from >= least && to - angle >= least, `${share} ${turn} ${angle}`);
    }
  }
});

test("nothing is asked of a protection that there is not", () => {
  const survey = freshDocument();
  for (const item of survey.items) item.epsilon = null;
  assert.equal(comprehension(survey, true), undefined);
});

const WEIGHTS = [
  [ROW_SUM * 0.75, ROW_SUM * 0.25, 0],
  [ROW_SUM / 8, ROW_SUM / 2, (ROW_SUM * 3) / 8],
];

/** @param {number} truth @param {number} taps */
const counts = (truth, taps) => {
  const all = Array.from({ length: taps }, (_, tap) => madeUpReports(WEIGHTS, truth, tap)).flat();
  return [0, 1, 2].map((report) => all.filter((one) => one === report).length);
};

test("each tap shows about as many of each report as the law says, in the long run exactly", () => {
  for (let tap = 0; tap < 50; tap += 1) {
    const made = madeUpReports(WEIGHTS, 0, tap);
    assert.equal(made.length, 10);
    assert.ok([2, 3].includes(made.filter((one) => one === 1).length), String(made));
  }
  for (const truth of [0, 1]) {
    const found = counts(truth, 1000);
    WEIGHTS[truth].forEach((weight, report) => {
      assert.ok(Math.abs(found[report] - (10_000 * weight) / ROW_SUM) <= 3, String(found));
    });
  }
});

test("taps differ, and each can be made again: nothing is drawn for it", () => {
  const { random } = Math;
  const { getRandomValues } = crypto;
  Math.random = crypto.getRandomValues = () => assert.fail("chance was drawn");
  try {
    assert.deepEqual(madeUpReports(WEIGHTS, 1, 3), madeUpReports(WEIGHTS, 1, 3));
    assert.notDeepEqual(madeUpReports(WEIGHTS, 1, 3), madeUpReports(WEIGHTS, 1, 4));
  } finally {
    Math.random = random;
    crypto.getRandomValues = getRandomValues;
  }
});

test("nothing but texts is taken from a translation", () => {
  const survey = largerPanel();
  survey.languages = ["en", "de"];
  const texts = { text: "Alter", hint: "in Jahren", answers: {}, rows: {} };
  const lying = { ...texts, protection: "randomised", ask: 1, ask_if: [], type: "grid" };
  const promises = {
    epsilon: 0.1,
    waves: { count: 2, once: 0, changing: 0 },
    ask: {},
    pages: "one",
  };
  survey.translations = {
    de: { title: "Verlauf", introduction: "", questions: { age: lying }, ...promises },
  };
  survey.about = { purpose: "To know", help: "Talk", help_link: "tel:1", minutes: 1 };
  survey.translations.de.about = { help: "Reden", help_link: "javascript:1", minutes: "0" };
  speak(() => undefined, "de");
  const told = inSpokenLanguage(survey);
  speak(() => undefined, "en");
  const item = { ...survey.items[2], text: "Alter" };
  assert.deepEqual(told, {
    ...survey,
    title: "Verlauf",
    about: { ...survey.about, help: "Reden" },
    questions: survey.questions.map((question) => ({
      ...question,
      ...(question.id === "age" && { text: "Alter", hint: "in Jahren" }),
      first: question.text,
    })),
    items: survey.items.map((one, place) =>
      place === 2 ? item : { ...one, text: told.items[place].text },
    ),
  });
});

test("a skip has one name, and a survey's own answer keeps its own words", () => {
  const survey = freshDocument();
  const [question, item] = [survey.questions[0], survey.items[0]];
  const toldOf = () => inSpokenLanguage(survey).items[0].truths.at(-1)?.text;
  const own = { code: "prefer_not_to_say", text: "No comment" };
  item.truths.splice(-1, 1, { ...own, text: "Skipped" });
  question.prefer_not_to_say = true;
  assert.equal(toldOf(), "Skipped");
  assert.equal(toChoose(question, item.truths).at(-1), "Skip this question");
  question.prefer_not_to_say = false;
  question.answers.splice(-1, 1, own);
  item.truths.splice(-1, 1, own);
  assert.equal(toldOf(), "No comment");
  assert.equal(toChoose(question, item.truths).at(-1), "No comment");
});

test("a broken promise is said in the language of the page, down to its cause", () => {
  const survey = freshDocument();
  survey.items[0].weights[0][0] -= 1;
  /** @type {unknown} */
  let refusal;
  assert.throws(
    () => checkPromise(survey),
    (error) => Boolean((refusal = error)),
  );
  assert.match(reasonOf(refusal), /^“Have you .*”: a row of weights does not sum to 2\^32$/);
  /** @type {Record<string, string>} */
  const german = {
    "“{question}”": "„{question}“",
    "a row of weights does not sum to 2^32": "die Summe stimmt nicht",
  };
  speak((sentence) => german[sentence], "de");
  const said = reasonOf(refusal);
  speak(() => undefined, "en");
  assert.match(said, /^„Have you .*“: die Summe stimmt nicht$/);
});

test("what the browser itself complains of is repeated", () => {
  assert.equal(reasonOf(new TypeError("Failed to fetch")), "Failed to fetch");
  assert.equal(reasonOf("odd"), "odd");
});
