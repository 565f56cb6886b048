/** Orders are drawn exactly, and only what is to be shuffled is. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { complete, orderOf, shufflesOf } from "../../../../client/browser/core/order.js";
import { freshAsking } from "../vectors.js";

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
