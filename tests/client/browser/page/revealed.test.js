/** What reports have revealed: no bound is said of a set that holds an answer without one. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { revealed } from "../../../../client/browser/page/revealed.js";

/** ε of two coins, in millionths. */
const LN_3 = 1098613;

const BOUND = /^All protected answers together: .* After: (.*)\.$/;
const AS_GIVEN =
  /^The server got (\d+) of your answers just as you gave them\. Anyone who sees .* can read them\.$/;

/** @type {[string, {spent?: number, direct?: number}[], string | undefined, string | undefined][]} */
const CASES = [
  ["one noisy answer", [{ spent: LN_3, direct: 0 }], "75 in 100 at most", undefined],
  ["two of them: odds of 9", [{ spent: LN_3 }, { spent: LN_3 }], "90 in 100 at most", undefined],
  ["one direct answer alone", [{ spent: 0, direct: 1 }], undefined, "1"],
  ["both", [{ spent: LN_3, direct: 0 }, { direct: 1 }], "75 in 100 at most", "1"],
  [
    "both in one survey, and more",
    [{ spent: LN_3, direct: 2 }, { direct: 1 }],
    "75 in 100 at most",
    "3",
  ],
  ["nothing yet", [{}], undefined, undefined],
];

for (const [what, entries, bound, asGiven] of CASES) {
  test(`of ${what}`, () => {
    const lines = revealed(entries);
    assert.equal(lines.length, [bound, asGiven].filter(Boolean).length);
    assert.equal(lines.map((line) => BOUND.exec(line)?.[1]).find(Boolean), bound);
    assert.equal(lines.map((line) => AS_GIVEN.exec(line)?.[1]).find(Boolean), asGiven);
  });
}
