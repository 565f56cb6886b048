/** From truths to the bytes that are sent, and what the device remembers of them. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { openMemory } from "../../../../client/browser/core/memory.js";
import {
  bytesOf,
  drawChance,
  makeReport,
  randomise,
} from "../../../../client/browser/core/report.js";
import { freshDocument, survey as vector } from "../vectors.js";

const ID = "00112233445566778899aabbccddeeff";

/** A `Storage` in memory, as browsers have on disk. */
function storage() {
  /** @type {Map<string, string>} */
  const values = new Map();
  return /** @type {Storage} */ (
    /** @type {unknown} */ ({
      setItem: (/** @type {string} */ key, /** @type {string} */ value) => values.set(key, value),
      getItem: (/** @type {string} */ key) => values.get(key) ?? null,
      removeItem: (/** @type {string} */ key) => values.delete(key),
      dump: () => JSON.stringify([...values]),
    })
  );
}

/** @param {number[]} [truths] */
function sent(truths = vector.truths) {
  const survey = freshDocument();
  const bytes = randomise(survey, truths, Uint32Array.from(vector.words));
  return { survey, report: makeReport(survey, ID, bytes) };
}

test("the shared survey, truths and words give the shared bytes", () => {
  assert.equal(sent().report.answers, vector.answers);
});

test("a report has the same length whatever is answered", () => {
  const survey = freshDocument();
  const lengths = new Set(
    survey.items[4].truths.map((_truth, last) => {
      const truths = survey.items.map((item) => Math.min(last, item.truths.length - 1));
      return JSON.stringify(sent(truths).report).length;
    }),
  );
  assert.equal(lengths.size, 1);
});

test("all chance is drawn in one call, id first", () => {
  let calls = 0;
  const chance = drawChance((words) => {
    calls += 1;
    words.forEach((_word, place) => (words[place] = place === 0 ? 0xfedcba98 : place));
  }, 3);
  assert.equal(calls, 1);
  assert.equal(chance.id, "fedcba98000000010000000200000003");
  assert.deepEqual([...chance.words], [4, 5, 6]);
});

test("randomness that throws, or fills nothing, is not used", () => {
  const fail = () => {
    throw new Error("no entropy");
  };
  assert.throws(() => drawChance(fail, 3), /no entropy/);
  assert.throws(() => drawChance(() => {}, 3), /not working/);
});

test("coming back gives the same report, and it holds noise only", () => {
  const { survey, report } = sent();
  const device = storage();
  openMemory(device, survey).keep(report);
  assert.deepEqual(openMemory(device, survey).report(), report);
  const { items, ...rest } = JSON.parse(device.getItem("deniable:doping") ?? "");
  assert.deepEqual(rest, {
    revision: survey.revision,
    id: ID,
    answers: report.answers,
    // What the ledger shows: the promise, which is the same for everybody.
    title: survey.title,
    epsilon: survey.epsilon,
  });
  // Marks of the items are public: they are the same whatever was answered.
  const other = storage();
  openMemory(other, survey).keep(sent(survey.items.map(() => 0)).report);
  assert.deepEqual(JSON.parse(other.getItem("deniable:doping") ?? "").items, items);
});

test("a revised survey gets the old bytes for the questions that stayed, new ones for the rest", () => {
  const { survey, report } = sent();
  const device = storage();
  openMemory(device, survey).keep(report);
  const revised = freshDocument();
  revised.revision = "0".repeat(32);
  revised.title = "Another title";
  revised.items[1].text = "Growth hormone";
  const bytes = bytesOf(report.answers);
  assert.equal(openMemory(device, revised).report(), undefined);
  const kept = openMemory(device, revised).bytes();
  assert.deepEqual(kept, [bytes[0], undefined, ...bytes.slice(2)]);
  const again = randomise(revised, vector.truths, new Uint32Array(6), kept);
  assert.deepEqual(again, [bytes[0], 0, ...bytes.slice(2)]);
});

test("other weights, or another wording, make another question", () => {
  const { survey, report } = sent();
  const device = storage();
  openMemory(device, survey).keep(report);
  const revised = freshDocument();
  revised.items[0].weights[0][0] -= 1;
  revised.questions[4 - 1].text = "How old were you?";
  const kept = openMemory(device, revised).bytes();
  assert.equal(kept[0], undefined);
  assert.equal(kept[5], undefined);
  assert.notEqual(kept[4], undefined);
});

test("a spoilt memory is as good as none", () => {
  for (const spoilt of ["", "{", "null", '{"revision":1}', '{"revision":"a","id":"x"}']) {
    const device = storage();
    device.setItem("deniable:doping", spoilt);
    assert.equal(openMemory(device, freshDocument()).report(), undefined);
    assert.deepEqual(openMemory(device, freshDocument()).bytes(), []);
  }
});

test("what is not asked is sent as 255, whatever is kept or answered", () => {
  const survey = freshDocument();
  const asked = survey.items.map((_item, place) => place !== 1 && place !== 2);
  const bytes = randomise(survey, vector.truths, Uint32Array.from(vector.words), [1, 1], asked);
  assert.deepEqual(bytes.slice(0, 3), [1, 255, 255]);
  assert.equal(makeReport(survey, ID, bytes).answers.slice(2, 6), "ffff");
});

test("what was not asked is not kept as an answer to a revised survey", () => {
  const { survey } = sent();
  const device = storage();
  openMemory(device, survey).keep(makeReport(survey, ID, [0, 255, 255, 1, 2, 0]));
  const revised = freshDocument();
  revised.revision = "0".repeat(32);
  assert.deepEqual(openMemory(device, revised).bytes(), [0, undefined, undefined, 1, 2, 0]);
});

test("what was drawn is remembered by name, the latest first, and nothing else", () => {
  const device = storage();
  const memory = openMemory(device, freshDocument());
  assert.deepEqual(memory.drawn(), []);
  memory.keepDrawn(["b", "a.one"]);
  memory.keepDrawn(["c", "b"]);
  assert.deepEqual(openMemory(device, freshDocument()).drawn(), ["c", "b", "a.one"]);
  assert.equal(device.getItem("deniable:doping:drawn"), '["c","b","a.one"]');
  assert.equal(device.getItem("deniable:doping"), null);
  for (const spoilt of ["{", "7", "null", '{"a":1}', "[1,null]"]) {
    device.setItem("deniable:doping:drawn", spoilt);
    assert.deepEqual(memory.drawn(), []);
  }
});

test("a browser without storage remembers nothing, and it is known", () => {
  const { survey, report } = sent();
  const full = storage();
  full.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  for (const device of [undefined, full]) {
    const memory = openMemory(device, survey);
    memory.keep(report);
    memory.keepDrawn(["a"]);
    assert.deepEqual([memory.works, memory.report(), memory.bytes()], [false, undefined, []]);
    assert.deepEqual(memory.drawn(), []);
    memory.notes(report, { outcome: "stored" });
    assert.deepEqual(memory.notes(report), {});
  }
  assert.ok(openMemory(storage(), survey).works);
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

const RECEIPT = [{ asked: "A?", sent: "Yes", byte: "01", share: "25 to 75 of 100" }];

test("notes stand beside the report that they are about, and go with it", () => {
  const device = storage();
  const { survey, report } = sent();
  const memory = openMemory(device, survey);
  const other = { ...report, id: "f".repeat(32) };
  assert.deepEqual(memory.notes(report), {});
  memory.notes(report, { outcome: "stored" });
  assert.equal(device.getItem(`deniable:${survey.survey}`), null);
  memory.keep(report);
  const before = device.getItem(`deniable:${survey.survey}`);
  memory.notes(other, { outcome: "stored" });
  assert.equal(device.getItem(`deniable:${survey.survey}`), before);
  memory.notes(report, { outcome: "stored" });
  memory.notes(report, { receipt: RECEIPT });
  assert.equal(memory.notes(report).outcome, "stored");
  assert.deepEqual(memory.notes(report).receipt, RECEIPT);
  assert.deepEqual(memory.notes(other), {});
  assert.deepEqual(memory.report(), report);
  memory.notes(report, { receipt: undefined });
  assert.equal(memory.notes(report).receipt, undefined);
  assert.equal(memory.notes(report).outcome, "stored");
  memory.keep(other);
  assert.equal(memory.notes(other).outcome, undefined);
});

test("a note for which there is no room is left out, and the report stays", () => {
  const device = storage();
  const { survey, report } = sent();
  const memory = openMemory(device, survey);
  memory.keep(report);
  device.setItem = () => {
    throw new Error("full");
  };
  memory.notes(report, { receipt: RECEIPT });
  assert.deepEqual(memory.report(), report);
  assert.equal(memory.notes(report).receipt, undefined);
});
