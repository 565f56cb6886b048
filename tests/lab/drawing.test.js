/** Where the marks of an axis stand on which each step multiplies. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { decades, fitting, plain, withGuess } from "../../lab/static/drawing.js";

test("few powers of ten have marks between them, many have none", () => {
  assert.deepEqual(decades([10, 10_000], 20), [10, 30, 100, 300, 1000, 3000, 10_000]);
  assert.deepEqual(decades([10, 10_000], 5), [10, 100, 1000, 10_000]);
  assert.deepEqual(decades([10, 100_000], 20), [10, 100, 1000, 10_000, 100_000]);
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

/** @param {Partial<LabPicture>} parts @returns {LabPicture} */
const picture = (parts) => ({
  ...{ id: "p", caption: "Noise.", finding: "It grows.", x: "People", y: "Noise", series: [] },
  ...{ x_range: null, y_range: null, logarithmic: false },
  ...parts,
});

test("before a guess only what does not answer it is drawn, on axes that do not move", () => {
  /** @type {LabSeries[]} */
  const series = [
    { name: "local", mark: "line", x: [1, 2], y: [5, 6], tone: 1 },
    { name: "central", mark: "line", x: [1, 2], y: [2, 3], tone: 0 },
    { name: "what is set", mark: "dots", x: [2, 2], y: [3, 6], tone: 4 },
  ];
  const guess = { at: 2, seen: ["local"], guessed: 4, range: [1, 9], moved: true };
  const waits = withGuess(picture({ series }), { ...guess, made: false });
  const shown = withGuess(picture({ series }), { ...guess, made: true });
  const begins = withGuess(picture({ series }), { ...guess, moved: false, made: false });
  /** @param {LabPicture} one */
  const names = ({ series: all }) => all.map(({ mark, name }) => `${mark} ${name}`.trim());
  assert.deepEqual(names(waits), ["line local", "guess your guess"]);
  // Where the slider stands at first is nobody's guess.
  assert.deepEqual(names(begins), ["line local", "guess where your guess goes"]);
  assert.deepEqual(
    [begins, waits, shown].map(({ series: all }) => all.at(-1)?.hollow),
    [true, undefined, undefined],
  );
  assert.deepEqual(
    [waits, shown].map(({ series: all }) => all.at(-1)?.between),
    [[1, 9], undefined],
  );
  assert.deepEqual(names(shown), [
    ...["line local", "line central", "guess your guess", "dots the answer"],
  ]);
  // Of what is set the first answers the guess, and lies on it.
  assert.deepEqual(shown.series[3].y, [3]);
  assert.deepEqual([waits.y_range, shown.y_range], Array(2).fill([1, 9]));
  assert.deepEqual([waits.finding, shown.finding], ["It waits for your guess.", "It grows."]);
  assert.deepEqual(shown.series[2].y, [4]);
});

test("people and candidates are there before a guess, without their answer", () => {
  /** @type {LabSeries[]} */
  const people = [{ name: "sends “Yes”", mark: "dots", x: [0, 1], y: [9, 9], tone: 1 }];
  const guess = { seen: [], guessed: 12, range: [1, 100], moved: true, made: false };
  const [rings, counted] = withGuess(picture({ series: people }), { ...guess, at: null }).series;
  assert.deepEqual(rings, { ...people[0], mark: "rings", name: "not known yet", tone: 2 });
  assert.deepEqual([counted.x.at(-1), counted.y.at(-1)], [1, 8]);
  /** @type {LabSeries[]} */
  const bars = [{ name: "chosen", mark: "bars", x: ["brown", "blue"], y: [0.5, 0.2], tone: 0 }];
  const guessed = { ...guess, at: "brown", guessed: 0.6 };
  const [open, mark, ...others] = withGuess(picture({ series: bars }), guessed).series;
  // The candidates have no length yet, and the guess stands at its own.
  assert.deepEqual(
    [open.x, open.between],
    [
      ["brown", "blue"],
      [1, 100],
    ],
  );
  assert.deepEqual([mark.mark, mark.x, mark.y], ["guess", ["brown"], [0.6]]);
  assert.deepEqual(others, []);
});
