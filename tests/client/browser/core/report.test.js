/** From truths to the bytes that are sent. */
// promise: fails-closed

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawAll } from "../../../../client/browser/core/chance.js";
import { drawChance, makeReport, randomise } from "../../../../client/browser/core/report.js";
import { panel } from "../panel.js";
import { freshAsking, freshDocument, survey as vector } from "../vectors.js";

const ID = "00112233445566778899aabbccddeeff";

/** @param {number[]} [truths] */
function sent(truths = vector.truths) {
  const survey = freshDocument();
  const bytes = randomise(survey, truths, Uint32Array.from(vector.words));
  return { survey, report: makeReport(survey, ID, bytes) };
}

test("the shared survey, truths and words give the shared bytes", () => {
  assert.equal(sent().report.answers, vector.answers);
});

test("randomness that throws, or fills nothing, is not used", () => {
  const fail = () => {
    throw new Error("no entropy");
  };
  assert.throws(() => drawChance(fail, 3), /no entropy/);
  assert.throws(() => drawChance(() => {}, 3), /not working/);
});

test("randomness that is the same everywhere, or fills a part, is not used", () => {
  const honest = (/** @type {Uint32Array} */ words) => {
    words.forEach((_word, at) => (words[at] = at * 0x9e3779b1));
  };
  assert.equal(drawChance(honest, 1).words.length, 1);
  for (const items of [1, 3, 40]) {
    for (const word of [0, 1, 2 ** 31, 2 ** 32 - 1]) {
      assert.throws(() => drawChance((words) => words.fill(word), items), /not working/);
    }
    const half = (/** @type {Uint32Array} */ words) => honest(words.subarray(0, words.length / 2));
    assert.throws(() => drawChance(half, items), /not working/);
  }
  // Two equal words come by chance, once in 2^32 times.
  const twice = (/** @type {Uint32Array} */ words) => {
    honest(words);
    words[1] = words[0];
  };
  assert.equal(drawChance(twice, 3).words.length, 3);
});

test("all chance of a page is drawn at once, also for what is drawn, shuffled or kept", () => {
  const [kept, shuffled] = [panel(), freshAsking()];
  shuffled.order = shuffled.questions[0].order = "random";
  for (const survey of [freshDocument(), shuffled, kept]) {
    let draws = 0;
    const inOrder = (/** @type {Uint32Array} */ words) => {
      draws += 1;
      words.forEach((_word, at) => (words[at] = at));
    };
    drawAll(survey, inOrder, []);
    assert.equal(draws, 1, survey.survey);
  }
});

test("what is not asked is sent as 255, whatever is answered", () => {
  const survey = freshDocument();
  const asked = survey.items.map((_item, place) => place !== 1 && place !== 2);
  const bytes = randomise(survey, vector.truths, Uint32Array.from(vector.words), asked);
  assert.deepEqual(bytes.slice(0, 3), [0, 255, 255]);
  assert.equal(makeReport(survey, ID, bytes).answers.slice(2, 6), "ffff");
});

test("a report that chance has turned is the same for the other of two answers", () => {
  // So seeing it before it is sent is no reason to change an answer: there is nothing to pick.
  const survey = freshDocument();
  const two = survey.items.findIndex(({ truths, epsilon }) => truths.length === 2 && epsilon);
  const { weights } = survey.items[two];
  const thresholds = weights.flatMap((row) => row[0]);
  for (const word of thresholds.flatMap((at) => [at - 1, at]).concat(0, 2 ** 32 - 1)) {
    const words = new Uint32Array(survey.items.length).fill(word);
    const [no, yes] = [0, 1].map((truth) => {
      const truths = survey.items.map(() => truth);
      return randomise(survey, truths, words)[two];
    });
    assert.ok((no === 0 && yes === 1) || no === yes, `${word}: ${no}, ${yes}`);
  }
});

test("changing an answer changes the byte of its own item alone", () => {
  const survey = freshDocument();
  const words = Uint32Array.from(vector.words);
  const before = randomise(survey, vector.truths, words);
  survey.items.forEach((item, place) => {
    for (const truth of item.truths.keys()) {
      const truths = [...vector.truths];
      truths[place] = truth;
      const after = randomise(survey, truths, words);
      assert.deepEqual(
        after.filter((_byte, other) => other !== place),
        before.filter((_byte, other) => other !== place),
      );
    }
  });
  assert.deepEqual(randomise(survey, vector.truths, words), before);
});
