/** Questions that are randomised as one answer: what is drawn of them, due of them, and refused. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { askedItems, choose } from "../../../../client/browser/core/asking.js";
import { openMemory } from "../../../../client/browser/core/memory.js";
import { checkPromise, drawsOf } from "../../../../client/browser/core/protocol.js";
import { makeReport, randomise } from "../../../../client/browser/core/report.js";
import { byGroups, cellsOf, contradictions } from "../../../../client/browser/core/together.js";
import { drawMaps, readyReports } from "../../../../client/browser/core/waves.js";
import { sureness } from "../../../../client/browser/page/sureness.js";
import { refuses, storageOf, visit } from "../device.js";
import { together } from "../vectors.js";

const [plain, after, drawn, again] = together;

test("cells and reports are those of Python", () => {
  for (const { document, cells, cases } of together) {
    checkPromise(document);
    const [group] = document.together ?? [];
    assert.deepEqual(cellsOf(document, group), cells);
    for (const { words, truths, answers } of cases) {
      const tape = Uint32Array.from(words);
      const ready = document.waves ? readyReports(document, tape, drawMaps(document, tape)) : [];
      const chance = Uint32Array.from(words.slice(-1));
      const chosen = drawsOf(document).flatMap((draw) => choose(draw, chance, []));
      const asked = askedItems(document, chosen);
      const bytes = randomise(document, truths, tape, [], ready, asked);
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

test("in waves a noisy cell is kept for each cell, and paid for once", () => {
  const kept = storageOf();
  const entry = () => JSON.parse(kept[Object.keys(kept)[0]]);
  const truths = [1, 0, 1];
  const { items } = again.document;
  const first = visit(kept, again.document, { truths, wave: 1 });
  const cost = Math.round((Number(items[0].epsilon) + Number(items[1].epsilon)) * 1e6);
  assert.equal(entry().spent, cost);
  const maps = Object.values(entry().maps).map((map) => map.length);
  assert.deepEqual(maps.sort(), [2, 6]);
  assert.ok(first && visit(kept, again.document, { truths, wave: 2 }));
  assert.deepEqual([entry().spent, Object.keys(entry().maps).length], [cost, 2]);
  // Where another question of the group reads otherwise, its cells are others.
  const revised = structuredClone(again.document);
  Object.assign(revised.items[2], { id: "other" }).truths[0].text = "Not at all";
  visit(kept, revised, { truths, wave: 3 });
  assert.equal(Object.keys(entry().maps).length, 3);
  assert.equal(entry().spent, cost + Math.round(Number(items[0].epsilon) * 1e6));
});

refuses("a group in waves that lies is refused:", () => structuredClone(again.document), {
  "another law than what is kept makes": ({ items }) => (items[0].redraw += 2 ** 20),
  "a cell that is not kept": ({ items: [{ permanent }] }) => permanent.pop(),
  "a part that is kept": ({ items }) => (items[2].permanent = items[1].permanent),
  "less said of the other": ({ items }) => (items[2].epsilon -= 0.1),
  "less said of one report": ({ items }) => (items[0].once -= 0.1),
  "nothing kept": ({ items }) => delete items[0].permanent,
});

refuses("a group that lies is refused:", () => structuredClone(plain.document), {
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
});
