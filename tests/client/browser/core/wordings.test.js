/** A law and its wordings: what one is, and what the device refuses. */
// promise: revision

import assert from "node:assert/strict";
import { test } from "node:test";

import { openMemory } from "../../../../client/browser/core/memory.js";
import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { readDocument } from "../../../../client/browser/core/wordings.js";
import { storageOf } from "../device.js";
import { wordings } from "../vectors.js";

const found = (/** @type {string} */ name) =>
  readDocument(Buffer.from(wordings.find((one) => one.name === name)?.written ?? ""));

for (const { name, fits, written, ...expected } of wordings) {
  test(`corrected: ${name}`, () => {
    if (!fits) {
      const refusal = /could change what an answer means|do not match the probabilities/;
      assert.throws(() => checkPromise(readDocument(Buffer.from(written))), refusal);
      return;
    }
    const { revision, numbers, earlier = [], ...document } = readDocument(Buffer.from(written));
    assert.deepEqual(
      { revision, numbers },
      { revision: expected.revision, numbers: expected.numbers },
    );
    // A translation of no rows may be left out.
    const full = (/** @type {object} */ one) =>
      JSON.parse(
        JSON.stringify(one).replace(/("(answers|rows)":\{\},|,"(answers|rows)":\{\})/g, ""),
      );
    assert.deepEqual(full(document), full(expected.document));
    assert.deepEqual(
      earlier.map(({ questions }) => questions[0].text),
      expected.marks,
    );
  });
}

test("what a law says is no text, wherever it points", () => {
  const [{ written }] = wordings;
  const pointing = written.replace('"protection":"randomised"', '"protection":"@title"');
  assert.equal(readDocument(Buffer.from(pointing)).questions[0].protection, "@title");
  const lost = written.replace("@questions/told/text", "@__proto__");
  assert.throws(() => readDocument(Buffer.from(lost)), /could change what an answer means/);
});

test("what was reported in any wording is not reported again, nor under its id", () => {
  const storage = storageOf();
  const report = { survey: "lab", revision: "", id: "00", answers: "00" };
  const before = found("none");
  openMemory(storage, before, 1).keep(report, [true, false, true], 0);
  const asked = [true, true, true];
  const again = { ...before, earlier: [] };
  again.items = again.items.map((item) => ({ ...item, text: `${item.text}?` }));
  again.questions = again.questions.map((one) => ({ ...one, text: "Other" }));
  for (const survey of [found("a word"), found("eight"), again]) {
    assert.deepEqual(openMemory(storage, survey, 1).due(asked), [false, true, false]);
  }
});
