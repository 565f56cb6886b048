/** What a device keeps from wave to wave, and the three statements that it checks. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawAll } from "../../../../client/browser/core/chance.js";
import { readLedger } from "../../../../client/browser/core/ledger.js";
import { forget } from "../../../../client/browser/core/storage.js";
import { openMemory } from "../../../../client/browser/core/memory.js";
import { inWave } from "../../../../client/browser/core/panel.js";
import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { makeReport, randomise } from "../../../../client/browser/core/report.js";
import { largerPanel, panel, YES_NO_PERMANENT, YES_NO_WEIGHTS } from "../panel.js";
import { drawMaps, readyReports } from "../../../../client/browser/core/waves.js";

const [THREE, ONE] = YES_NO_PERMANENT[0];
const [LIKELY, OTHER] = YES_NO_WEIGHTS[0];
const REDRAW = 2 ** 29;

/** A `Storage` in memory, whose keys are its own properties as in a browser. */
function storage() {
  /** @type {any} */
  const values = {};
  Object.defineProperties(values, {
    setItem: { value: (/** @type {string} */ key, /** @type {string} */ to) => (values[key] = to) },
    getItem: { value: (/** @type {string} */ key) => values[key] ?? null },
    removeItem: { value: (/** @type {string} */ key) => delete values[key] },
  });
  return /** @type {Storage} */ (values);
}

test("an honest survey passes, with and without a redraw", () => {
  checkPromise(panel());
  const still = panel();
  const item = still.items[0];
  item.redraw = 0;
  item.once = item.epsilon ?? 0;
  item.weights = /** @type {number[][]} */ (item.permanent);
  still.waves = { count: 2, once: item.once, changing: null };
  checkPromise(still);
  still.waves.changing = 100;
  assert.throws(() => checkPromise(still), /would reveal more/);
});

/** @type {Record<string, (survey: SurveyDocument, item: Item) => void>} */
const lies = {
  "a law that is not the one that is shown": (_survey, item) => {
    item.weights = [
      [LIKELY - 10, OTHER + 10],
      [OTHER, LIKELY],
    ];
  },
  "a redraw that is no weight": (_survey, item) => (item.redraw = REDRAW + 0.5),
  "a redraw below 0": (_survey, item) => (item.redraw = -1),
  "a redraw that says nothing": (_survey, item) => (item.redraw = 2 ** 31),
  "no redraw": (_survey, item) => delete item.redraw,
  "nothing that is kept": (_survey, item) => delete item.permanent,
  "what is kept is no law": (_survey, item) => (item.permanent = [[1, 2]]),
  "a report that reveals a millionth more": (_survey, item) => (item.once = 0.788457),
  "reports that add up to more": (survey) => Object(survey.waves).once--,
  "changes that reveal more": (survey) => (Object(survey.waves).changing -= 1e-5),
  "more waves than are counted": (survey) => (Object(survey.waves).count = 3),
  "all reports' ε that is no number": (survey) => (Object(survey.waves).once = "cheap"),
  "what changes reveal, in text with a blank": (survey) => (Object(survey.waves).changing = " 1 "),
  "nothing said of changes": (survey) => delete Object(survey.waves).changing,
};
for (const [lie, spoil] of Object.entries(lies)) {
  test(`refused: ${lie}`, () => {
    const survey = panel();
    spoil(survey, survey.items[0]);
    assert.throws(() => checkPromise(survey));
  });
}

/**
 * Of a question of three answers, of which one has no noisy answer that is kept: the row by which it
 * would be reported instead is one that nobody checked.
 *
 * @type {Record<string, (item: Item) => void>}
 */
const gaps = {
  "the last answer sent as it is, nothing drawn again": (item) => {
    item.permanent = YES_NO_PERMANENT.map((row) => [...row, 0]);
    item.weights = [...item.permanent, [0, 0, 2 ** 32]];
    item.redraw = 0;
    [item.epsilon, item.once] = [1.098613, 1.098613];
  },
  "the last answer sent as it is, some drawn again": (item) => {
    item.permanent?.pop();
    item.weights[2] = [0, 0, 2 ** 32];
  },
  "an honest row that is drawn anew in each wave": (item) => item.permanent?.pop(),
  "a row too many": (item) => item.permanent?.push([2 ** 31, 2 ** 30, 2 ** 30]),
  "a column too many": (item) => item.permanent?.forEach((row) => row.push(0)),
  "a column too few": (item) => {
    item.permanent = [...YES_NO_PERMANENT, [2 ** 31, 2 ** 31]];
    item.weights = item.permanent.map((row) => [...row, 0]);
    item.redraw = 0;
    [item.epsilon, item.once] = [1.098613, 1.098613];
  },
  "a row that is shorter than the others": (item) => item.permanent?.[2].pop(),
  "a row that is longer than the others": (item) => item.permanent?.[1].push(0),
  "rows that are no lists": (item) => (Object(item).permanent = { length: 3 }),
  "no noisy answers at all": (item) => delete item.permanent,
  "no rows at all": (item) => (item.permanent = []),
};
for (const [gap, leave] of Object.entries(gaps)) {
  test(`refused, whatever it promises: ${gap}`, () => {
    const survey = largerPanel();
    survey.epsilon = 100;
    survey.waves = { count: 2, once: 100, changing: null };
    leave(survey.items[1]);
    assert.throws(() => checkPromise(survey));
  });
}

test("an answer that is sent as it is given is not kept, and has no ε", () => {
  for (const more of [
    { permanent: YES_NO_PERMANENT, redraw: 0 },
    { epsilon: 0.5, once: 0 },
  ]) {
    const survey = largerPanel();
    Object.assign(survey.items[2], more);
    assert.throws(() => checkPromise(survey), /sent as you give them, but they are not/);
  }
});

test("in waves nothing randomised is sent that was not ready", () => {
  const survey = largerPanel();
  const words = new Uint32Array(4);
  const ready = [[0, 0], [0, 0, 0], [], []];
  assert.deepEqual(randomise(survey, [1, 2, 1, 1], words, [], [], ready), [0, 0, 1, 1]);
  for (const lacking of [[], [[0, 0]], [[0, 0], [0, 0], [], []]]) {
    assert.throws(
      () => randomise(survey, [1, 2, 1, 1], words, [], [], lacking),
      /more than is promised/,
    );
  }
});

test("one call draws a word for each truth as well", () => {
  let asked = 0;
  const { words } = drawAll(panel(), (drawn) => (asked = drawn.fill(1).length), []);
  assert.deepEqual([asked, words.length], [8, 4]);
});

test("what is kept of every truth comes from its own word, and is used again", () => {
  const survey = panel();
  const words = Uint32Array.from([0, 0, THREE, ONE - 1]);
  assert.deepEqual(drawMaps(survey, words), [[1, 0], []]);
  assert.deepEqual(drawMaps(survey, words, [[0, 1], undefined]), [[0, 1], []]);
});

test("a report is the noisy answer, and another one as often as the redraw says", () => {
  const survey = panel();
  const ready = (/** @type {number} */ word) =>
    readyReports(survey, Uint32Array.from([word, 0]), [[1, 0], []])[0];
  // Of the noisy answer 1 the first words are redrawn, of 0 the last: one in eight of each.
  assert.deepEqual(ready(REDRAW - 1), [0, 0]);
  assert.deepEqual(ready(REDRAW), [1, 0]);
  assert.deepEqual(ready(2 ** 32 - REDRAW - 1), [1, 0]);
  assert.deepEqual(ready(2 ** 32 - REDRAW), [1, 1]);
});

test("what is ready is sent, and what was sent before comes first", () => {
  const survey = panel();
  const words = Uint32Array.from([0, 0]);
  assert.deepEqual(randomise(survey, [1, 0], words, [], [], [[0, 1], []]), [1, 0]);
  assert.deepEqual(randomise(survey, [1, 0], words, [0, 1], [], [[0, 1], []]), [0, 1]);
});

/**
 * Answer a wave on a device, up to what became of it.
 *
 * @param {Storage} kept
 * @param {number} wave
 * @param {Outcome} outcome
 * @param {SurveyDocument} [survey]
 */
function answer(kept, wave, outcome, survey = panel()) {
  const memory = inWave(openMemory(kept, survey), kept, survey, wave);
  const words = Uint32Array.from([7, 7, THREE, 0]);
  const ready = memory.ready(words);
  const bytes = randomise(survey, [0, 0], words, memory.bytes(), [], ready);
  const report = makeReport(survey, String(wave).repeat(32), bytes);
  memory.keep(report);
  memory.settle(outcome);
  return { memory, report };
}

test("a report that has arrived is forgotten, and what is kept stays", () => {
  const kept = storage();
  const { memory } = answer(kept, 1, "stored");
  assert.deepEqual(Object.keys(kept), ["deniable:panel:waves"]);
  assert.equal(memory.report(), undefined);
  const { wave, maps } = JSON.parse(kept["deniable:panel:waves"]);
  assert.equal(wave, 1);
  assert.deepEqual(Object.values(maps), [[1, 0], []]);
});

test("a report that has not arrived is there for its own wave, and for no other", () => {
  const kept = storage();
  const survey = panel();
  const { memory, report } = answer(kept, 1, "unreachable");
  assert.deepEqual(memory.report(), report);
  assert.deepEqual(memory.bytes(), [Number.parseInt(report.answers.slice(0, 2), 16), 0]);
  const later = inWave(openMemory(kept, survey), kept, survey, 2);
  assert.equal(later.report(), undefined);
  assert.deepEqual(later.bytes(), [undefined, 1]);
});

test("a wave that is answered is not asked again, nor is one before it", () => {
  const kept = storage();
  const survey = panel();
  answer(kept, 2, "stored");
  const answered = (/** @type {number} */ wave, device = kept) =>
    inWave(openMemory(device, survey), device, survey, wave).answered();
  assert.deepEqual([answered(1), answered(2)], [true, true]);
  assert.equal(answered(2, storage()), false);
});

test("a question that was revised gets noisy answers of its own, others keep theirs", () => {
  const kept = storage();
  answer(kept, 1, "stored");
  const revised = panel();
  revised.items[0].text = "Otherwise?";
  answer(kept, 2, "stored", revised);
  assert.equal(Object.keys(JSON.parse(kept["deniable:panel:waves"]).maps).length, 3);
});

test("a report of an earlier wave that never arrived is known to be late", () => {
  const kept = storage();
  const survey = panel();
  const waveNow = (/** @type {number} */ wave) =>
    inWave(openMemory(kept, survey), kept, survey, wave).wave;
  assert.deepEqual(waveNow(1), { number: 1, late: false });
  answer(kept, 1, "unreachable");
  assert.deepEqual(
    [waveNow(1), waveNow(2)],
    [
      { number: 1, late: false },
      { number: 2, late: true },
    ],
  );
});

test("a wave that is none is refused", () => {
  for (const wave of [0, 3, 1.5, NaN]) {
    const survey = panel();
    assert.throws(
      () => inWave(openMemory(storage(), survey), undefined, survey, wave),
      /more than is promised/,
    );
  }
});

test("what another tab has kept meanwhile is not overwritten", () => {
  const kept = storage();
  const survey = panel();
  const other = inWave(openMemory(kept, survey), kept, survey, 1);
  other.ready(Uint32Array.from([7, 7, 0, 0]));
  const { report } = answer(kept, 1, "unreachable");
  const before = kept["deniable:panel:waves"];
  // The other tab sends the same report again, and keeps what it was drawn from.
  other.keep(/** @type {NoisyReport} */ (other.report()));
  assert.equal(kept["deniable:panel:waves"], before);
  assert.deepEqual(other.report(), report);
});

test("what is broken on the device is as good as nothing", () => {
  const kept = storage();
  kept.setItem("deniable:panel:waves", "{");
  assert.equal(answer(kept, 1, "stored").report.answers.length, 4);
});

test("the ledger lists it once, and leaving takes all of it", () => {
  const kept = storage();
  answer(kept, 1, "unreachable");
  const [entry, ...others] = readLedger(kept);
  assert.deepEqual(others, []);
  assert.deepEqual(entry.waves, { wave: 1, count: 2, once: 0.788458, changing: 2 * 1.945911 });
  assert.equal(entry.epsilon, 1.098613);
  forget(kept, "panel");
  assert.deepEqual(Object.keys(kept), []);
});
