/** Two coins as a picture of one random word: they never say anything else than what was decided. */
// promise: phone

import assert from "node:assert/strict";
import { test } from "node:test";

import { sample } from "../../../../client/browser/core/channel.js";
import { whatFell } from "../../../../client/browser/page/coins.js";

const QUARTER = 2 ** 30;
const TWO_COINS = [
  [3 * QUARTER, QUARTER],
  [QUARTER, 3 * QUARTER],
];

/** The words at each end of each sixteenth of all words, and in its middle. */
const WORDS = Array.from({ length: 16 }, (_none, place) => place * (QUARTER / 4)).flatMap(
  (first) => [first, first + QUARTER / 8, first + QUARTER / 4 - 1],
);

/** @param {number[][]} weights @returns {Item} */
const law = (weights) => ({
  id: "q",
  question: "q",
  text: "Q",
  truths: weights.map((_row, place) => ({ code: `${place}`, text: `${place}` })),
  reports: weights[0].map((_weight, place) => ({ code: `${place}`, text: `${place}` })),
  epsilon: 2,
  weights,
});

test("heads is the truth, and after tails the second coin answers: heads for yes", () => {
  /** @type {Map<string, number>} */
  const often = new Map();
  for (const word of WORDS) {
    const { alone, coins } = whatFell(law(TWO_COINS), word);
    // From the coins alone: what each of the two answers becomes.
    const said = coins[0] === 0 ? [0, 1] : [1 - coins[1], 1 - coins[1]];
    const sent = [0, 1].map((truth) => sample(TWO_COINS, truth, word));
    assert.deepEqual(said, sent, `${word}`);
    assert.equal(alone, sent[0] === sent[1]);
    // The first two bits of the word make the coins: the picture needs no chance of its own.
    assert.deepEqual(
      coins,
      [
        [1, 1],
        [0, 0],
        [0, 1],
        [1, 0],
      ][Math.floor(word / QUARTER)],
    );
    often.set(coins.join(""), (often.get(coins.join("")) ?? 0) + 1);
  }
  assert.deepEqual(Object.fromEntries(often), { "00": 12, "01": 12, 10: 12, 11: 12 });
});

test("other chance has no coins, and says all the same whether it decided alone", () => {
  const half = QUARTER * 2;
  const others = [
    [
      [half + QUARTER / 2, half - QUARTER / 2],
      [half - QUARTER / 2, half + QUARTER / 2],
    ],
    // One coin: its other side lets the answer count.
    [
      [QUARTER * 4, 0],
      [half, half],
    ],
    // Two coins of another story.
    [
      [3 * QUARTER, QUARTER],
      [0, 4 * QUARTER],
    ],
    [
      [half, QUARTER, QUARTER],
      [QUARTER, half, QUARTER],
      [QUARTER, QUARTER, half],
    ],
  ];
  for (const weights of others) {
    for (const word of WORDS) {
      const { alone, coins } = whatFell(law(weights), word);
      const sent = weights.map((_row, truth) => sample(weights, truth, word));
      assert.deepEqual(coins, []);
      assert.equal(alone, new Set(sent).size === 1, `${word}`);
    }
  }
});

test("a law that is a word off the two coins shows none that contradict what was decided", () => {
  const near = [
    [3 * QUARTER - 1, QUARTER + 1],
    [QUARTER - 1, 3 * QUARTER + 1],
  ];
  for (const word of WORDS) {
    const { alone, coins } = whatFell(law(near), word);
    const sent = [0, 1].map((truth) => sample(near, truth, word));
    assert.equal(alone, sent[0] === sent[1]);
    assert.equal(alone, coins[0] === 1, `${word}`);
    if (alone) assert.equal(coins[1], 1 - sent[0]);
  }
});
