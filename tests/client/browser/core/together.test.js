/** Questions that are randomised as one answer: what is drawn of them, due of them, and refused. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { askedItems, choose } from "../../../../client/browser/core/asking.js";
import { openMemory } from "../../../../client/browser/core/memory.js";
import { checkPromise, drawsOf } from "../../../../client/browser/core/protocol.js";
import { makeReport, randomise } from "../../../../client/browser/core/report.js";
import { byGroups, cellsOf, contradictions } from "../../../../client/browser/core/together.js";
import { sureness } from "../../../../client/browser/page/sureness.js";
import { together } from "../vectors.js";

const [plain, after, drawn] = together;

test("cells and reports are those of Python", () => {
  for (const { document, cells, cases } of together) {
    checkPromise(document);
    const [group] = document.together ?? [];
    assert.deepEqual(cellsOf(document, group), cells);
    for (const { words, truths, answers } of cases) {
      const chance = Uint32Array.from(words.slice(document.items.length));
      const chosen = drawsOf(document).flatMap((draw) => choose(draw, chance, []));
      const asked = askedItems(document, chosen);
      const bytes = randomise(document, truths, Uint32Array.from(words), [], [], asked);
      assert.equal(makeReport(document, "", bytes).answers, answers);
      assert.deepEqual(contradictions(document, truths), []);
    }
  }
});

test("what cannot be is sent by nobody, and neither is a part", () => {
  // In the order of the survey: doped, slept, knew.
  assert.deepEqual(contradictions(after.document, [0, 0, 1]), [[0, 2]]);
  const words = new Uint32Array(3);
  assert.throws(() => randomise(after.document, [0, 0, 1], words), /change.* together/);
  assert.throws(() => randomise(after.document, [0, 0, 3], words, [true, true, false]));
  const { due } = byGroups(after.document, openMemory(undefined, after.document, 1));
  assert.deepEqual(due([true, true, false]), [false, true, false]);
});

test("a group is drawn whole, with what needs it, or not at all", () => {
  const [{ choices, places }] = drawsOf(drawn.document);
  assert.deepEqual(
    [choices, places],
    [
      ["doped", "slept"],
      [[0, 2], [1]],
    ],
  );
  const part = structuredClone(plain.document);
  part.questions.push({ ...part.questions[0], id: "q2" });
  part.items.push({ ...part.items[0], id: "q2", question: "q2" });
  part.ask = { count: 1, questions: ["q0", "q2"] };
  checkPromise(part);
  part.items[0].id = "own";
  part.ask.questions[0] = "own";
  assert.throws(() => checkPromise(part), /change.* together/);
});

test("a group costs its ε once, and all of it to who knows the other answers", () => {
  const { items, epsilon } = plain.document;
  const { price, due } = byGroups(plain.document, openMemory(undefined, plain.document, 1));
  assert.equal(price(due([true, true])), Math.round(Number(items[0].epsilon) * 1e6));
  assert.ok(price([true, true]) <= epsilon * 1e6);
  const found = sureness(plain.document);
  assert.equal(found?.one, found?.all);
  const alone = { ...plain.document, together: undefined };
  assert.notEqual(sureness(alone)?.one, sureness(alone)?.all);
});

/** @type {Record<string, (survey: any) => void>} */
const LIES = {
  "another weight": ({ together: [group] }) => (group.other -= 1),
  "no chance at all": ({ together: [group] }) => (group.other = 0),
  "half a weight": ({ together: [group] }) => (group.other += 0.5),
  "one question alone": ({ together: [group] }) => group.questions.pop(),
  "another order": ({ together: [group] }) => group.questions.reverse(),
  "a question of two groups": ({ together: groups }) => groups.push(groups[0]),
  "a question that is not there": ({ together: [group] }) => group.questions.push("nothing"),
  "a smaller ε": ({ items }) => (items[0].epsilon -= 0.1),
  "a law of its own": ({ items: [{ weights }] }) => weights.reverse(),
  "an answer without a cell": ({ items: [{ truths, reports, weights }] }) => {
    truths.push({ code: "x", text: "x" });
    reports.push({ code: "x", text: "x" });
    weights.forEach((/** @type {number[]} */ row) => row.push(0));
    weights.push(weights[0]);
  },
  "a direct question": ({ questions, items }) => {
    questions[0].protection = "direct";
    items[0].weights = [
      [2 ** 32, 0],
      [0, 2 ** 32],
    ];
    items[0].epsilon = null;
  },
  "a draw of a part": (survey) => (survey.ask = { count: 1, questions: ["q0", "q1"] }),
};

for (const [name, lie] of Object.entries(LIES)) {
  test(`a group that lies is refused: ${name}`, () => {
    const survey = structuredClone(plain.document);
    lie(survey);
    assert.throws(() => checkPromise(survey));
  });
}
