/** Warner's own form: a reply to where a spinner points is the channel, and after it nothing is left. */
// promise: spinner

import assert from "node:assert/strict";
import { test } from "node:test";

import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { makeReport, randomise } from "../../../../client/browser/core/report.js";
import { readyReplies, withSpinners } from "../../../../client/browser/core/statement.js";
import { refuses, storageOf } from "../device.js";
import { freshDocument } from "../vectors.js";

const ALL_WORDS = 2 ** 32;
const KEY = "deniable:doping";

/** @param {number} flip of 2^32 */
const flipped = (flip) => [
  [ALL_WORDS - flip, flip],
  [flip, ALL_WORDS - flip],
];

/**
 * The survey of the vectors, its first question asked by statements.
 * @param {number} [flip]
 * @returns {SurveyDocument}
 */
function spun(flip = 2 ** 30) {
  const survey = freshDocument();
  const [item] = survey.items;
  const question = survey.questions.find(({ id }) => id === item.question);
  assert(question && item.truths.length === 2);
  question.statements = item.truths.map(({ code }) => ({ code, text: `It is ${code}` }));
  item.reports.forEach((one, at) => (one.text = ["Not true of me", "True of me"][at]));
  item.weights = flipped(flip);
  item.epsilon = Math.log((ALL_WORDS - flip) / flip) + 1e-6;
  survey.epsilon = 100;
  return survey;
}

/** What a person replies: whether that is true of them which the spinner points to. */
const warner = (
  /** @type {number} */ truth,
  /** @type {number} */ word,
  /** @type {number} */ flip,
) => Number(truth === (word < flip ? 0 : 1));

/** @param {SurveyDocument} survey @param {number} truth @param {number} word */
function sent(survey, truth, word) {
  const words = new Uint32Array(survey.items.length).fill(word);
  const truths = survey.items.map((_item, place) => (place === 0 ? truth : 0));
  return randomise(survey, truths, words, [], readyReplies(survey, words))[0];
}

test("what is sent is the reply, exact to the word, for both truths", () => {
  for (const flip of [1, 2, 3, 2 ** 16 + 1, 2 ** 30, 2 ** 31 - 1, 2 ** 31, ALL_WORDS - 1]) {
    const survey = spun(flip);
    const near = [0, 1, flip - 1, flip, ALL_WORDS - flip - 1, ALL_WORDS - flip, ALL_WORDS - 1];
    for (const word of near.filter((one) => one >= 0 && one < ALL_WORDS)) {
      for (const truth of [0, 1])
        assert.equal(sent(survey, truth, word), warner(truth, word, flip));
    }
  }
});

/**
 * Open the page: what the spinner points by, and the memory.
 * @param {any} storage
 * @param {{name: string}} tab
 * @param {{survey?: SurveyDocument, person?: number}} [how]
 */
function opened(storage, tab, { survey = spun(), person = 1 } = {}) {
  const words = crypto.getRandomValues(new Uint32Array(survey.items.length + 1));
  const orders = new Map();
  const memory = withSpinners(storage, survey, person, tab);
  memory.ready({ words, orders });
  const word = words[0];
  assert.deepEqual(orders.get(survey.items[0].question), [word]);
  return { word, memory, survey };
}

test("however often the page is opened in a tab, the spinner points by the word that was drawn first", () => {
  const [storage, tab] = [storageOf(), { name: "" }];
  const { word } = opened(storage, tab);
  for (let again = 0; again < 5; again += 1) assert.equal(opened(storage, tab).word, word);
});

test("in another tab, for another person, another survey or after forgetting it is drawn anew", () => {
  const [storage, tab] = [storageOf(), { name: "" }];
  const other = { ...spun(), revision: "0".repeat(64) };
  const { word } = opened(storage, tab);
  assert.notEqual(opened(storage, { name: "" }).word, word);
  // The first tab is none the worse for it.
  assert.equal(opened(storage, tab).word, word);
  for (const how of [{ person: 2 }, { survey: other }]) {
    assert.notEqual(opened(storage, tab, how).word, word);
  }
  assert.equal(opened(storage, tab).word, word);
  delete storage[KEY];
  assert.notEqual(opened(storage, tab).word, word);
});

test("several people who use a tab by turns keep their own spinners, each until their own report", () => {
  const [storage, tab] = [storageOf(), { name: "" }];
  const turns = [1, 2, 3].map((person) => opened(storage, tab, { person }));
  const again = () => [1, 2, 3].map((person) => opened(storage, tab, { person }).word);
  assert.equal(new Set(turns.map(({ word }) => word)).size, 3);
  assert.deepEqual(
    again(),
    turns.map(({ word }) => word),
  );
  const { memory, survey } = turns[1];
  const due = survey.items.map(() => true);
  memory.keep(makeReport(survey, "0".repeat(32), []), due, memory.price(due));
  assert.equal(tab.name.split(",").length, 2);
  assert.deepEqual(
    ["", ":2", ":3"].map((person) => "hiding" in JSON.parse(storage[KEY + person])),
    [true, false, true],
  );
  const [one, , three] = again();
  assert.deepEqual([one, three], [turns[0].word, turns[2].word]);
});

test("what hides too few spinners, from before a survey had more of them, hides none", () => {
  const [storage, tab] = [storageOf(), { name: "" }];
  const { word } = opened(storage, tab);
  storage[KEY] = JSON.stringify({ hiding: [] });
  assert.notEqual(opened(storage, tab).word, word);
  assert.equal(JSON.parse(storage[KEY]).hiding.length, 1);
});

test("nobody decides where it points by the name of a tab", () => {
  const storage = storageOf();
  opened(storage, { name: "" });
  const seen = new Set();
  for (const name of ["chosen 5", " 5", "5", "NaN NaN", "0000000000000000 5", "undefined 5"]) {
    seen.add(opened(storage, { name }).word);
    seen.add(opened(storageOf(), { name }).word);
  }
  assert.equal(seen.size, 12);
});

test("where nothing can be kept it is drawn at each opening", () => {
  const tab = { name: "" };
  assert.notEqual(opened(undefined, tab).word, opened(undefined, tab).word);
});

test("what the storage holds is the same wherever the spinner points, and so is all of it later", () => {
  const [storage, tab] = [storageOf(), { name: "" }];
  const { word, memory, survey } = opened(storage, tab);
  const held = storage[KEY];
  const { word: another } = opened(storage, { name: "" });
  assert.notEqual(another, word);
  assert.equal(storage[KEY], held);
  const due = survey.items.map(() => true);
  const report = makeReport(survey, "0".repeat(32), [1, ...survey.items.slice(1).map(() => 0)]);
  memory.keep(report, due, memory.price(due));
  assert.equal(tab.name, "");
  const kept = JSON.parse(storage[KEY]);
  assert.deepEqual(Object.keys(kept).sort(), ["direct", "reported", "spent", "title", "unsent"]);
});

test("a report that was kept is due no more, as without spinners", () => {
  const [storage, tab] = [storageOf(), { name: "" }];
  const { memory, survey } = opened(storage, tab);
  const due = survey.items.map(() => true);
  memory.keep(makeReport(survey, "0".repeat(32), []), due, memory.price(due));
  assert.equal(opened(storage, tab).memory.due(due).includes(true), false);
});

refuses(
  "no question is asked by a spinner that has",
  spun,
  {
    "truths that are not flipped alike": ({ items }) => {
      items[0].weights = [
        [3 * 2 ** 30, 2 ** 30],
        [2 ** 31, 2 ** 31],
      ];
    },
    "a third report": ({ items: [item] }) => {
      item.weights.forEach((/** @type {number[]} */ row) => row.push(0));
      item.reports.push({ code: "more", text: "More" });
    },
    "a third truth": ({ questions: [question], items: [item] }) => {
      item.weights.push([...item.weights[0]]);
      for (const list of [question.answers, item.truths]) list.push({ code: "more", text: "More" });
    },
    "a statement alone": ({ questions }) => {
      questions[0].statements?.pop();
    },
    "no statement": ({ questions }) => {
      questions[0].statements = [];
    },
    "statements that are no list": ({ questions }) => {
      questions[0].statements = Object({ no: "I did", yes: "I did not" });
    },
    "what is sent as it is given": ({ questions, items }) => {
      questions[0].protection = "direct";
      items[0].epsilon = null;
      items[0].weights = flipped(0);
    },
  },
  /no spinner could point to its statements|do not match the probabilities|in the form that every survey has/,
);

test("a survey that is asked in waves has no spinner", () => {
  const survey = spun();
  survey.waves = { count: 2, once: 1, changing: null };
  assert.throws(() => checkPromise(survey), /no spinner could point to its statements/);
});
