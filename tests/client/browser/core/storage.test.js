/** Under which names something is kept. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  canWrite,
  drawnKeyOf,
  forget,
  keyOf,
  surveysIn,
  wavesKeyOf,
} from "../../../../client/browser/core/storage.js";

/** @param {string[]} keys @returns {any} */
function storageOf(...keys) {
  const storage = Object.create({
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => (storage[key] = value),
    removeItem: (/** @type {string} */ key) => delete storage[key],
  });
  return Object.assign(storage, Object.fromEntries(keys.map((key) => [key, "1"])));
}

const NAMES = ["deniable:a", "deniable:a:drawn", "deniable:a:waves"];

test("the names are those of what is on devices already", () => {
  assert.deepEqual([keyOf("a"), drawnKeyOf("a"), wavesKeyOf("a")], NAMES);
});

test("a survey is there however much is kept of it, and nothing else is", () => {
  const storage = storageOf(...NAMES, "deniable:ab:waves", "deniable?", "undeniable:b", "a");
  assert.deepEqual(surveysIn(storage), ["a", "ab"]);
});

test("what is forgotten is all of a survey, and of no other", () => {
  const others = ["deniable:ab", "a", "other:a"];
  const storage = storageOf(...NAMES, ...others);
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
