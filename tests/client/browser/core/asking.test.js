/** Which items are asked: drawn exactly, kept over reloads, and the same as in Python. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { askedItems, choose } from "../../../../client/browser/core/asking.js";
import { checkPromise, drawsOf } from "../../../../client/browser/core/protocol.js";
import { drawChance, makeReport, randomise } from "../../../../client/browser/core/report.js";
import { asking, freshAsking } from "../vectors.js";

const survey = freshAsking();

/** @param {number} count @param {string[]} choices */
const drawOf = (count, choices) => ({
  count,
  choices,
  places: choices.map((_choice, place) => [place]),
});

/**
 * All arrays of so many digits below a base.
 * @param {number} base
 * @param {number} digits
 * @returns {number[][]}
 */
const all = (base, digits) =>
  digits === 0
    ? [[]]
    : all(base, digits - 1).flatMap((row) => Array.from({ length: base }, (_d, d) => [...row, d]));

for (const [count, names] of /** @type {[number, string][]} */ ([
  [1, "ab"],
  [1, "abcd"],
  [2, "abcd"],
  [3, "abcd"],
])) {
  test(`over all words ${count} of ${names.length} come equally often`, () => {
    // A proof, not a statistic: only the order of the words matters.
    const draw = drawOf(count, [...names]);
    /** @type {Map<string, number>} */
    const times = new Map();
    for (const words of all(5, names.length)) {
      if (new Set(words).size < words.length) continue;
      const drawn = choose(draw, Uint32Array.from(words), []).sort().join("");
      times.set(drawn, (times.get(drawn) ?? 0) + 1);
    }
    assert.equal(new Set(times.values()).size, 1);
    assert.equal(times.size, { 1: names.length, 2: 6, 3: 4 }[count]);
  });
}

test("what was drawn before is drawn again, in its order, and only the rest anew", () => {
  const words = Uint32Array.from([10, 20, 30, 40]);
  const draw = drawOf(2, ["a", "b", "c", "d"]);
  assert.deepEqual(choose(draw, words, ["d", "c"]), ["d", "c"]);
  assert.deepEqual(choose(draw, words, ["d", "c", "a"]), ["d", "c"]);
  assert.deepEqual(choose(draw, words, ["gone", "d"]), ["d", "a"]);
  assert.deepEqual(choose(drawOf(1, ["a", "b", "c", "d"]), words, ["d", "c"]), ["d"]);
  assert.deepEqual(choose(drawOf(3, ["a", "b", "c", "d"]), words, ["c"]), ["c", "a", "b"]);
});

test("where choices have chances, one word draws a set, as in Python", () => {
  for (const { count, chances, before, words, chosen } of asking.draws) {
    const draw = {
      ...drawOf(
        count,
        chances.map((_one, at) => `c${at}`),
      ),
      chances,
    };
    const kept = before.map((at) => `c${at}`);
    const drawn = words.map((word) => choose(draw, Uint32Array.of(word), kept));
    assert.deepEqual(
      drawn,
      chosen.map((those) => those.map((at) => `c${at}`)),
    );
  }
});

test("chances that are none, or with which a set is never drawn, are refused", () => {
  for (const chances of [
    [1, 2],
    [1, 2, 3, 0],
    [1, 2, 3, 100],
    [1, 2, 3, 0.5],
    ["1", 1, 1, 1],
  ]) {
    const spoilt = freshAsking();
    Object.assign(spoilt.ask ?? {}, { chances });
    assert.throws(
      () => checkPromise(spoilt),
      /cannot draw questions as it says|in the form that every survey has/,
    );
  }
  const fine = freshAsking();
  Object.assign(fine.ask ?? {}, { chances: [1, 2, 3, 99] });
  checkPromise(fine);
});

test("an item is asked if every draw that it is in drew it", () => {
  const asked = askedItems(survey, ["doped", "offered", "offered.epo", "offered.others"]);
  const ids = survey.items.filter((_item, place) => asked[place]).map(({ id }) => id);
  assert.deepEqual(ids, ["doped", "offered.epo", "offered.others", "age"]);
  const drawn = ["years", "knew", "knew.doctor", "offered.epo", "caught.here"];
  const others = askedItems(survey, drawn);
  assert.deepEqual(
    survey.items.filter((_item, place) => others[place]).map(({ id }) => id),
    ["knew.doctor", "years", "caught.here", "age"],
  );
});

/**
 * A source that gives these tapes in turn.
 * @param {number[][]} tapes
 */
const sourceOf = (tapes) => (/** @type {Uint32Array} */ words) => {
  const tape = tapes.shift();
  assert.equal(tape?.length, words.length);
  words.set(tape);
};

const choices = drawsOf(survey).map((draw) => draw.choices.length);

/** @param {number[][]} tapes @param {number[]} truths */
function answer(tapes, truths) {
  const chance = drawChance(sourceOf(tapes), survey.items.length, choices);
  const drawn = drawsOf(survey).flatMap((draw, place) => choose(draw, chance.draws[place], []));
  const bytes = randomise(survey, truths, chance.words, [], [], askedItems(survey, drawn));
  return makeReport(survey, chance.id, bytes);
}

test("two words alike are drawn again with everything else", () => {
  const [alike, other] = asking.cases;
  const tapes = [
    [9, 8, 9, 8, ...alike.words],
    [1, 2, 3, 4, ...other.words],
  ];
  const report = answer(tapes, other.truths);
  assert.equal(report.answers, other.answers);
  assert.equal(report.id, "00000001000000020000000300000004");
});

test("randomness that gives the same word for ever is not used", () => {
  assert.throws(() => drawChance((words) => words.fill(7), 3, [2]), /not working/);
});
