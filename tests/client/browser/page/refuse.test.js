/** Why nothing is asked is said in the language that is read. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { reasonOf } from "../../../../client/browser/page/refuse.js";
import { speak } from "../../../../client/browser/page/say.js";
import { freshDocument } from "../vectors.js";

test("a broken promise is said in the language of the page, down to its cause", () => {
  const survey = freshDocument();
  survey.items[0].weights[0][0] -= 1;
  /** @type {unknown} */
  let refusal;
  assert.throws(
    () => checkPromise(survey),
    (error) => Boolean((refusal = error)),
  );
  assert.match(reasonOf(refusal), /^“Have you .*”: a row of weights does not sum to 2\^32$/);
  /** @type {Record<string, string>} */
  const german = {
    "“{question}”": "„{question}“",
    "a row of weights does not sum to 2^32": "die Summe stimmt nicht",
  };
  speak((sentence) => german[sentence], "de");
  const said = reasonOf(refusal);
  speak(() => undefined, "en");
  assert.match(said, /^„Have you .*“: die Summe stimmt nicht$/);
});

test("what the browser itself complains of is repeated", () => {
  assert.equal(reasonOf(new TypeError("Failed to fetch")), "Failed to fetch");
  assert.equal(reasonOf("odd"), "odd");
});
