// What the pictures of a meeting decide: where an axis has marks.
import assert from "node:assert/strict";
import { test } from "node:test";

import { across } from "../../classroom/static/dots.js";
import { ticks } from "../../classroom/static/rows.js";

test("an axis has marks at shares that are easy to name, and no more than there is room for", () => {
  assert.deepEqual(ticks(0, 1, 8), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(ticks(-0.3, 1.03, 8), [-0.25, 0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(ticks(0, 1, 3), [0, 0.5, 1]);
  for (const [low, high] of [
    [0, 1],
    [-1.1, 2.4],
    [-7, 9],
  ]) {
    for (const most of [2, 3, 5, 8]) {
      const found = ticks(low, high, most);
      assert.ok(found.length <= most + 1);
      assert.ok(found.every((tick) => tick >= low && tick <= high));
      assert.ok(found.includes(0));
    }
  }
});

test("dots fill a wall that is twice as wide as high, whatever the class", () => {
  for (const count of [1, 12, 30, 300, 3000]) {
    const width = across(count, 2);
    assert.ok(width * Math.ceil(count / width) >= count);
    assert.ok(count < 20 || Math.abs(width / (count / width) - 2) < 0.6);
  }
});
