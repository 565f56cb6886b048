/** Where the marks of an axis stand on which each step multiplies. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { decades, fitting, plain } from "../../lab/static/drawing.js";

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

test("of many names as many are written as fit side by side", () => {
  const names = Array.from({ length: 20 }, (_, place) => `${place + 1}`);
  assert.deepEqual(fitting(names, 600, 14), names);
  assert.deepEqual(fitting(names, 300, 14), [
    "1",
    "3",
    "5",
    "7",
    "9",
    "11",
    "13",
    "15",
    "17",
    "19",
  ]);
  assert.deepEqual(fitting(["No", "Yes"], 250, 14), ["No", "Yes"]);
  const ages = ["18–20", "21–23", "24–26", "27–29", "30–32", "33–35", "36–38", "39–41"];
  assert.deepEqual(fitting(ages, 300, 14), ["18–20", "24–26", "30–32", "36–38"]);
});
