/** Where the marks of an axis stand on which each step multiplies. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { decades, plain, some } from "../../lab/static/drawing.js";

test("few powers of ten have marks between them, many have none", () => {
  assert.deepEqual(decades([10, 10_000], 20), [10, 30, 100, 300, 1000, 3000, 10_000]);
  assert.deepEqual(decades([10, 10_000], 5), [10, 100, 1000, 10_000]);
  assert.deepEqual(decades([0.25, 4], 6), [0.3, 1, 3]);
});

test("thousands and millions are written short", () => {
  assert.deepEqual([0.3, 100, 3000, 1e7].map(plain), ["0.3", "100", "3k", "10M"]);
});

test("no mark stands beyond the numbers", () => {
  assert.deepEqual(decades([0.002, 31], 6), [0.01, 0.1, 1, 10]);
  assert.deepEqual(decades([1, 1], 6), [1]);
});

test("of many names as many are written as there is room for", () => {
  const names = Array.from({ length: 20 }, (_, place) => `${place + 1}`);
  assert.deepEqual(some(names, 10), names);
  assert.deepEqual(some(names, 4), ["1", "3", "5", "7", "9", "11", "13", "15", "17", "19"]);
  assert.deepEqual(some(["No", "Yes"], 3), ["No", "Yes"]);
});
