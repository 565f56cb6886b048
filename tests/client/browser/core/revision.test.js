/** A revision: its hash, what is fetched under it, and its structure with its wordings. */
// promise: revision

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { fetchSurvey } from "../../../../client/browser/core/fetching.js";
import { openMemory } from "../../../../client/browser/core/memory.js";
import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { sha256 } from "../../../../client/browser/core/sha256.js";
import { readDocument } from "../../../../client/browser/core/wordings.js";
import { storageOf } from "../device.js";
import { freshDocument, survey as vector, wordings } from "../vectors.js";

test("every length comes out, around each end of a block too", () => {
  for (const length of [...Array(200).keys(), 1_000_000]) {
    const codes = Uint8Array.from({ length }, (_code, place) => (place * 167 + length * 31) % 128);
    const some = new TextDecoder().decode(codes);
    assert.equal(sha256(some), createHash("sha256").update(some).digest("hex"));
  }
});

const found = (/** @type {string} */ name) =>
  readDocument(Buffer.from(wordings.find((one) => one.name === name)?.written ?? ""));

for (const { name, fits, written, ...expected } of wordings) {
  test(`corrected: ${name}`, () => {
    if (!fits) {
      const refusal =
        /could change what an answer means|do not match the probabilities|in the form that every/;
      assert.throws(() => checkPromise(readDocument(Buffer.from(written))), refusal);
      return;
    }
    const {
      revision,
      checkNumbers,
      earlier = [],
      ...document
    } = readDocument(Buffer.from(written));
    assert.deepEqual(
      { revision, checkNumbers },
      { revision: expected.revision, checkNumbers: expected.numbers },
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

test("what a structure says is no text, wherever it points", () => {
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

/**
 * Fetch from a server that answers like this.
 * @param {object | string} document
 * @param {number} [status]
 */
async function fetched(document, status = 200) {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  /** @type {unknown[]} */
  const requests = [];
  const before = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    requests.push(request);
    return new Response(text, { status });
  };
  try {
    return { survey: await fetchSurvey(), requests };
  } finally {
    globalThis.fetch = before;
  }
}

test("a survey is asked for once, and from nowhere else", async () => {
  const { survey, requests } = await fetched(vector.written);
  const { checkNumbers, earlier, ...asked } = survey;
  assert.deepEqual(asked, freshDocument());
  assert.deepEqual([checkNumbers?.length, earlier], [1, []]);
  assert.deepEqual(requests, [
    ["survey.json", { credentials: "same-origin", redirect: "error", signal: undefined }],
  ]);
});

test("the revision is the hash of what came, whatever the server calls it", async () => {
  const named = JSON.stringify({ ...freshDocument(), revision: "person-0001@example.org" });
  const { survey } = await fetched(named);
  assert.equal(survey.revision, createHash("sha256").update(named).digest("hex"));
  // Another byte of the words is another number, also where it reads the same.
  const { survey: other } = await fetched(`${vector.written} `);
  assert.equal(other.revision, freshDocument().revision);
  assert.match(String(other.checkNumbers), /^[0-9a-f]{64}$/);
  assert.notDeepEqual(other.checkNumbers, (await fetched(vector.written)).survey.checkNumbers);
});

test("one that does not keep its promise is not handed on", async () => {
  const survey = freshDocument();
  survey.epsilon -= 0.1;
  await assert.rejects(fetched(survey), /reveal more than the survey promises/);
});

test("where there is none it is said", async () => {
  await assert.rejects(fetched({}, 503), /could not be loaded/);
});
