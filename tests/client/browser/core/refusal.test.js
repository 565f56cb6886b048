/** What is wrong is said in English where no page says it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { filled, Refusal } from "../../../../client/browser/core/refusal.js";

test("values stand in place of their names", () => {
  assert.equal(filled("{a} of {b}, {a}", { a: 1, b: "two" }), "1 of two, 1");
  assert.equal(filled("{a}", { a: "{b}" }), "{b}");
  assert.equal(filled("“{a}”", { a: 1 }, ["<", ">"]), "“<1>”");
});

test("a refusal says what it is about, and what is wrong with that", () => {
  const inner = new Refusal("a channel needs two truths");
  const refusal = new Refusal("“{question}”", { question: "Age?" }, inner);
  assert.equal(refusal.message, "“Age?”: a channel needs two truths");
  assert.equal(refusal.cause, inner);
  assert.deepEqual([refusal.sentence, refusal.values], ["“{question}”", { question: "Age?" }]);
});
