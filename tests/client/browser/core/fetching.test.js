/** What is asked is fetched, and checked before anybody sees it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { fetchSurvey } from "../../../../client/browser/core/fetching.js";
import { freshDocument } from "../vectors.js";

/**
 * Fetch from a server that answers like this.
 *
 * @param {object} document
 * @param {number} [status]
 */
async function fetched(document, status = 200) {
  /** @type {unknown[]} */
  const requests = [];
  const before = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    requests.push(request);
    return new Response(JSON.stringify(document), { status });
  };
  try {
    return { survey: await fetchSurvey("/s/doping"), requests };
  } finally {
    globalThis.fetch = before;
  }
}

test("a survey is asked for once, and from nowhere else", async () => {
  const { survey, requests } = await fetched(freshDocument());
  assert.deepEqual(survey, freshDocument());
  assert.deepEqual(requests, [
    ["/s/doping/survey.json", { credentials: "same-origin", redirect: "error" }],
  ]);
});

test("one that does not keep its promise is not handed on", async () => {
  const survey = freshDocument();
  survey.epsilon -= 0.1;
  await assert.rejects(fetched(survey), /reveal more than the survey promises/);
});

test("where there is none it is said", async () => {
  await assert.rejects(fetched({}, 503), /could not be loaded/);
});
