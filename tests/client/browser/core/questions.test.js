/** Questions and their order, what is kept under which name, and how a refusal is said. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { complete, orderOf, shufflesOf } from "../../../../client/browser/core/order.js";
import { placesOf } from "../../../../client/browser/core/protocol.js";
import { hasSeveralItems, offersYesNo } from "../../../../client/browser/core/questions.js";
import { filled, Refusal } from "../../../../client/browser/core/refusal.js";
import { canWrite, entriesIn, forget, keyOf } from "../../../../client/browser/core/storage.js";
import { storageOf } from "../device.js";
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

test("over all words every order comes equally often", () => {
  // A proof, not a statistic: only the order of distinct words matters.
  /** @type {Map<string, number>} */
  const times = new Map();
  for (let word = 0; word < 6 ** 4; word += 1) {
    const words = [0, 1, 2, 3].map((digit) => Math.floor(word / 6 ** digit) % 6);
    if (new Set(words).size < words.length) continue;
    const order = orderOf(Uint32Array.from(words)).join("");
    times.set(order, (times.get(order) ?? 0) + 1);
  }
  assert.equal(times.size, 24);
  assert.equal(new Set(times.values()).size, 1);
});

test("words above 2^31 are compared as numbers", () => {
  assert.deepEqual(orderOf(Uint32Array.from([2 ** 32 - 1, 2 ** 31, 5])), [2, 1, 0]);
});

test("what is not shuffled comes last, as it is", () => {
  assert.deepEqual(complete([2, 0, 1], ["a", "b", "c", "none", "declined"]), [2, 0, 1, 3, 4]);
  assert.deepEqual(complete([], ["a", "b"]), [0, 1]);
});

test("only what is to be shuffled draws words, declining none", () => {
  const survey = freshAsking();
  assert.deepEqual(shufflesOf(survey), []);
  survey.order = "random";
  survey.questions[0].order = survey.questions[1].order = survey.questions[2].order = "random";
  assert.deepEqual(shufflesOf(survey), [
    ["", 6],
    ["doped", 2],
    ["offered", 4],
    ["knew", 3],
  ]);
});

test("values stand in place of their names", () => {
  assert.equal(filled("{a} of {b}, {a}", { a: 1, b: "two" }), "1 of two, 1");
  assert.equal(filled("{a}", { a: "{b}" }), "{b}");
  assert.equal(
    filled("“{a}”", { a: 1 }, (value) => `<${value}>`),
    "“<1>”",
  );
});

test("a refusal says what it is about, and what is wrong with that", () => {
  const inner = new Refusal("a channel needs two truths");
  const refusal = new Refusal("“{question}”", { question: "Age?" }, inner);
  assert.equal(refusal.message, "“Age?”: a channel needs two truths");
  assert.equal(refusal.cause, inner);
  assert.deepEqual([refusal.sentence, refusal.values], ["“{question}”", { question: "Age?" }]);
});

/** @param {string[]} keys */
const withKeys = (...keys) => storageOf(Object.fromEntries(keys.map((key) => [key, "1"])));

const NAMES = ["deniable:a", "deniable:a:2", "deniable:a:3"];

test("each person has an entry of each survey, and one without a survey", () => {
  assert.deepEqual(
    [1, 2, 3].map((person) => keyOf("a", person)),
    NAMES,
  );
  assert.deepEqual([keyOf("", 1), keyOf("", 2)], ["deniable:", "deniable::2"]);
});

test("whose an entry is, and of which survey, is told by its name, and nothing else is ours", () => {
  const storage = withKeys(...NAMES, "deniable:ab:2", "deniable::2", "deniable?", "undeniable:b");
  assert.deepEqual(
    entriesIn(storage).map(({ survey, person }) => [survey, person]),
    [
      ["a", 1],
      ["a", 2],
      ["a", 3],
      ["ab", 2],
      ["", 2],
    ],
  );
});

test("what is forgotten is all of a survey, of everybody or of one, and of no other", () => {
  const others = ["deniable:ab", "a", "other:a"];
  const storage = withKeys(...NAMES, ...others);
  forget(storage, "a", 2);
  assert.deepEqual(Object.keys(storage), [NAMES[0], NAMES[2], ...others]);
  forget(storage, "a");
  assert.deepEqual(Object.keys(storage), others);
  forget(storage);
  assert.deepEqual(Object.keys(storage), ["a", "other:a"]);
});

test("trying whether something can be kept leaves nothing", () => {
  const storage = storageOf();
  assert.equal(canWrite(storage), true);
  assert.deepEqual(Object.keys(storage), []);
  const full = { setItem: () => assert.fail("full") };
  assert.equal(canWrite(/** @type {any} */ (full)), false);
});
