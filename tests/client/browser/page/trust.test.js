// promise: label
import assert from "node:assert/strict";
import { test } from "node:test";

import { ROW_SUM } from "../../../../client/browser/core/channel.js";
import { people } from "../../../../client/browser/page/pictures.js";
import { coinLines, leastProtected, ofHundred } from "../../../../client/browser/page/trust.js";

const NO = { code: "no", text: "No" };
const YES = { code: "yes", text: "Yes" };

/**
 * @param {number} yes P(yes | no)
 * @param {number} no P(no | yes)
 * @param {number | null} [epsilon]
 */
function item(yes, no, epsilon = 1) {
  const weights = [
    [(1 - yes) * ROW_SUM, yes * ROW_SUM],
    [no * ROW_SUM, (1 - no) * ROW_SUM],
  ].map(([first]) => [Math.round(first), ROW_SUM - Math.round(first)]);
  return {
    id: "doped",
    question: "doped",
    text: "Doped?",
    truths: [NO, YES],
    reports: [NO, YES],
    epsilon,
    weights,
  };
}

/**
 * @param {ReturnType<typeof item>[]} items
 * @param {number} epsilon
 */
function survey(items, epsilon) {
  return {
    survey: "s",
    revision: "0",
    title: "T",
    introduction: "",
    epsilon,
    questions: [],
    items,
  };
}

test("of a hundred people so many send yes as the weights say", () => {
  assert.deepEqual(
    [0, 1].map((truth) => ofHundred(item(1 / 4, 1 / 8), truth)),
    [
      { count: 25, words: "Of 100 people whose true answer is “No”, 25 send “Yes”." },
      { count: 88, words: "Of 100 people whose true answer is “Yes”, 88 send “Yes”." },
    ],
  );
});

test("the coins are those whose chances are the weights'", () => {
  /** @param {string} chance @param {number} ways @param {number[]} counts */
  const lines = (chance, ways, [no, yes, truth]) => [
    `It is like ${chance}, which has ${ways} equally likely outcomes.`,
    `In ${no} of them your browser sends “No”, and in ${yes} it sends “Yes”, whatever is true. In the other ${truth} it sends your true answer.`,
  ];
  assert.deepEqual(coinLines(item(1 / 4, 1 / 4)), lines("tossing a coin twice", 4, [1, 1, 2]));
  assert.deepEqual(coinLines(item(1 / 6, 1 / 6)), lines("rolling a die", 6, [1, 1, 4]));
  assert.deepEqual(coinLines(item(1 / 3, 1 / 6)), lines("rolling a die", 6, [1, 2, 3]));
  assert.deepEqual(
    coinLines(item(1 / 8, 3 / 8)),
    lines("tossing a coin three times", 8, [3, 1, 4]),
  );
  assert.deepEqual(
    coinLines(item(3 / 13, 3 / 13)),
    lines("drawing one of 52 cards", 52, [12, 12, 28]),
  );
});

test("no coins are named where none have these chances", () => {
  assert.deepEqual(coinLines(item(0.26894142, 0.26894142)), []);
  // At ε = 22 and more they round to no outcome at all, or that of one answer does.
  assert.deepEqual(coinLines(item(2 ** -32, 2 ** -32)), []);
  assert.deepEqual(coinLines(item(2 ** -32, 1 / 4)), []);
  assert.deepEqual(coinLines(item(0, 0)), []);
  const three = {
    ...item(1 / 4, 1 / 4),
    weights: [ROW_SUM, ROW_SUM, ROW_SUM].map(() => [1, 2, 3]),
  };
  assert.deepEqual(coinLines(three), []);
});

test("the picture is of what chance protects least", () => {
  const direct = { ...item(0, 0, null), id: "direct" };
  const coded = {
    ...item(1 / 4, 1 / 4, 9),
    reports: [{ code: "report_1", text: "Report 1" }, YES],
  };
  const weak = item(1 / 6, 1 / 6, 1.609438);
  const items = [direct, coded, item(1 / 4, 1 / 4, 1.098613), weak, { ...weak, id: "later" }];
  assert.equal(leastProtected(survey(items, 12)), weak);
  assert.equal(leastProtected(survey([direct, coded], 9)), undefined);
  // A number is shown only where there is nothing else.
  const number = { ...item(1 / 9, 1 / 9, 2.079442), id: "hours", question: "hours" };
  const asked = {
    ...survey([number, weak], 12),
    questions: /** @type {Question[]} */ ([{ id: "hours", type: "number" }]),
  };
  assert.equal(leastProtected(asked), weak);
  assert.equal(leastProtected({ ...asked, items: [number] }), number);
});

test("people stand ten in a row, as on the server's page", () => {
  assert.equal(people(0, 1), "M3 3a2 2 0 1 1 4 0a2 2 0 1 1-4 0M2 10v-1a3 3 0 0 1 6 0v1z");
  assert.equal(people(99, 100), "M93 111a2 2 0 1 1 4 0a2 2 0 1 1-4 0M92 118v-1a3 3 0 0 1 6 0v1z");
  assert.equal(people(0, 100), people(0, 25) + people(25, 100));
  assert.equal(people(0, 25).match(/z/g)?.length, 25);
});
