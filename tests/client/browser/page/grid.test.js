/** Which grids can be a table. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { fits } from "../../../../client/browser/page/grid.js";

test("up to seven columns of short words are a table", () => {
  const seven = [
    "Never",
    "Once",
    "A few times",
    "Monthly",
    "Weekly",
    "Daily",
    "Several times a day",
  ];
  assert.ok(fits(seven));
  assert.ok(!fits([...seven, "No"]));
});

test("a word that would be broken makes no table of it, a long answer of short words does", () => {
  assert.ok(
    fits(["Stimme überhaupt nicht zu", "Stimme eher nicht zu", "Teils, teils", "Stimme zu"]),
  );
  assert.ok(!fits(["Nie", "Gelegentlich", "Manchmal", "Oft", "Sehr oft", "Immer", "Keine Angabe"]));
  assert.ok(fits(["Nie", "Gelegentlich", "Immer"]));
  assert.ok(!fits(["Yes", "Unverhältnismäßigkeitsprinzip", "No"]));
});
