/** Where the spinner's pointer is drawn: plainly in the sector that was drawn, whatever its share. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawnAt } from "../../../../client/browser/page/statement.js";

test("the pointer stands in its sector, and never within 8 degrees of an edge", () => {
  for (let share = 1; share < 100; share += 1) {
    for (let step = 0; step < 1000; step += 1) {
      const turn = step / 1000;
      const [from, to] = turn < share / 100 ? [0, 3.6 * share] : [3.6 * share, 360];
      const angle = drawnAt(share / 100, turn);
      const least = Math.min(8, (to - from) / 2) - 1e-9;
      assert.ok(angle - from >= least && to - angle >= least, `${share} ${turn} ${angle}`);
    }
  }
});
