/** What reports have revealed: no bound is said of a set that holds an answer without one. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { revealed } from "../../../../client/browser/page/revealed.js";

/** ε of two coins, in millionths. */
const LN_3 = 1098613;

const OF_ONE = /^Someone who was 50:50 about you can now be (.*)\.$/;
const BOUND =
  /^If all your protected answers point to the same thing, someone can be (.*)\. Before, it was 50:50\.$/;
const AS_GIVEN =
  /^The server gets (\d+) of your answers just as you give them\. Anyone who sees .* can read them\.$/;

/** @type {[string, {spent?: number, direct?: number}[], string | undefined, string | undefined][]} */
const CASES = [
  ["one noisy answer", [{ spent: LN_3, direct: 0 }], "75\u00a0% sure at most", undefined],
  [
    "two of them: odds of 9",
    [{ spent: LN_3 }, { spent: LN_3 }],
    "90\u00a0% sure at most",
    undefined,
  ],
  ["one direct answer alone", [{ spent: 0, direct: 1 }], undefined, "1"],
  ["both", [{ spent: LN_3, direct: 0 }, { direct: 1 }], "75\u00a0% sure at most", "1"],
  [
    "both in one survey, and more",
    [{ spent: LN_3, direct: 2 }, { direct: 1 }],
    "75\u00a0% sure at most",
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

/** @param {Partial<MeetingQuestion>} of @param {DeviceEntry} entry @returns {DeviceEntry} */
const inMeeting = ({ number = 1, asks }, entry) => ({
  ...entry,
  parent: /** @type {MeetingQuestion} */ ({ code: "abc", number, run: 1, asks }),
});

test("what was answered openly as well is said to be protected no longer", () => {
  const noisy = inMeeting({ asks: "randomised" }, { spent: LN_3, direct: 0 });
  const open = inMeeting({ asks: "direct" }, { spent: 0, direct: 1 });
  const lines = revealed([noisy, open]);
  assert.match(lines[0], /also answered this question openly\. Chance no longer/);
  assert.match(lines[1], AS_GIVEN);
  assert.equal(lines.length, 2);
  // That it was deleted takes back nothing of this.
  assert.deepEqual(revealed([noisy, open], { areDeleted: true }), lines.slice(0, 1));
  // Of one survey alone it is known by the others.
  assert.deepEqual(revealed([noisy], { beside: [noisy, open] }), lines.slice(0, 1));
});

test("an open answer to another question, and a guess of the class, change no bound", () => {
  const noisy = inMeeting({ asks: "randomised" }, { spent: LN_3, direct: 0 });
  const other = inMeeting({ asks: "direct", number: 2 }, { direct: 1 });
  const guess = inMeeting({ asks: "prior" }, { direct: 1 });
  for (const beside of [other, guess, { direct: 1 }]) {
    assert.equal(OF_ONE.exec(revealed([noisy, beside])[0])?.[1], "75\u00a0% sure at most");
  }
});

test("a guess of the class is no answer of one's own, wherever it is counted", () => {
  const open = inMeeting({ asks: "direct" }, { direct: 1 });
  const guess = inMeeting({ asks: "prior" }, { direct: 1 });
  assert.equal(AS_GIVEN.exec(revealed([open, guess])[0])?.[1], "1");
  assert.deepEqual(revealed([guess]), []);
});

test("several questions of a class are bounded by what they say together", () => {
  const [first, again, second] = [1, 1, 2].map((number) =>
    inMeeting({ number, asks: "randomised" }, { spent: LN_3 }),
  );
  assert.equal(OF_ONE.exec(revealed([first, again])[0])?.[1], "90\u00a0% sure at most");
  assert.equal(BOUND.exec(revealed([first, second])[0])?.[1], "90\u00a0% sure at most");
});

test("what was answered openly is known in another meeting, too", () => {
  const reported = { mark: 0 };
  const open = { ...inMeeting({ asks: "direct" }, { direct: 1 }), reported };
  const noisy = inMeeting({ number: 3, asks: "randomised" }, { spent: LN_3 });
  const elsewhere = { ...noisy, parent: { ...Object(noisy.parent), code: "xyz" } };
  assert.match(revealed([open, { ...elsewhere, reported }])[0], /Chance no longer/);
  assert.match(revealed([open, elsewhere])[0], OF_ONE);
});
