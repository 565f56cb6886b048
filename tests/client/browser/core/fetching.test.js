/** What is asked is fetched, and checked before anybody sees it. */
// promise: revision

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { fetchSurvey } from "../../../../client/browser/core/fetching.js";
import { freshDocument, survey as vector } from "../vectors.js";

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
  const { numbers, earlier, ...asked } = survey;
  assert.deepEqual(asked, freshDocument());
  assert.deepEqual([numbers?.length, earlier], [1, []]);
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
  assert.match(String(other.numbers), /^[0-9a-f]{64}$/);
  assert.notDeepEqual(other.numbers, (await fetched(vector.written)).survey.numbers);
});

test("one that does not keep its promise is not handed on", async () => {
  const survey = freshDocument();
  survey.epsilon -= 0.1;
  await assert.rejects(fetched(survey), /reveal more than the survey promises/);
});

test("where there is none it is said", async () => {
  await assert.rejects(fetched({}, 503), /could not be loaded/);
});
