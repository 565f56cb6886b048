/** Under which names something is kept. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { canWrite, entriesIn, forget, keyOf } from "../../../../client/browser/core/storage.js";
import { storageOf } from "../device.js";

/** @param {string[]} keys */
const withKeys = (...keys) => storageOf(Object.fromEntries(keys.map((key) => [key, "1"])));

const NAMES = ["deniable:a", "deniable:a:2", "deniable:a:3"];

test("each person has an entry of each survey, and one without a survey", () => {
  assert.deepEqual(
    [1, 2, 3].map((person) => keyOf("a", person)),
    NAMES,
  );
  assert.deepEqual([keyOf("", 1), keyOf("", 2)], ["deniable:", "deniable::2"]);
});

test("whose an entry is, and of which survey, is told by its name, and nothing else is ours", () => {
  const storage = withKeys(...NAMES, "deniable:ab:2", "deniable::2", "deniable?", "undeniable:b");
  assert.deepEqual(
    entriesIn(storage).map(({ survey, person }) => [survey, person]),
    [
      ["a", 1],
      ["a", 2],
      ["a", 3],
      ["ab", 2],
      ["", 2],
    ],
  );
});

test("what is forgotten is all of a survey, of everybody or of one, and of no other", () => {
  const others = ["deniable:ab", "a", "other:a"];
  const storage = withKeys(...NAMES, ...others);
  forget(storage, "a", 2);
  assert.deepEqual(Object.keys(storage), [NAMES[0], NAMES[2], ...others]);
  forget(storage, "a");
  assert.deepEqual(Object.keys(storage), others);
  forget(storage);
  assert.deepEqual(Object.keys(storage), ["a", "other:a"]);
});

test("trying whether something can be kept leaves nothing", () => {
  const storage = storageOf();
  assert.equal(canWrite(storage), true);
  assert.deepEqual(Object.keys(storage), []);
  const full = { setItem: () => assert.fail("full") };
  assert.equal(canWrite(/** @type {any} */ (full)), false);
});
