/** What a device keeps from wave to wave, and the three statements that it checks. */
// promise: ledger, waves

import assert from "node:assert/strict";
import { test } from "node:test";

import { readLedger } from "../../../../client/browser/core/ledger.js";
import { forget } from "../../../../client/browser/core/storage.js";
import { openMemoryInWave, persist } from "../../../../client/browser/core/memoryinwaves.js";
import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { randomise } from "../../../../client/browser/core/report.js";
import { Questionnaire } from "../../../../client/browser/page/questionnaire.js";
import { refuses, storageOf, visit } from "../device.js";
import { largerPanel, panel, YES_NO_PERMANENT, YES_NO_WEIGHTS } from "../panel.js";
import { drawMaps, readyReports } from "../../../../client/browser/core/waves.js";

const [THREE, ONE] = YES_NO_PERMANENT[0];
const [LIKELY, OTHER] = YES_NO_WEIGHTS[0];
const REDRAW = 2 ** 29;

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

/** Other people answer each wave: nothing is kept, and one report is as of a survey without waves. */
const others = () => {
  const survey = panel();
  const [item] = survey.items;
  item.weights = /** @type {number[][]} */ (item.permanent);
  for (const key of /** @type {const} */ (["permanent", "redraw", "once"])) delete item[key];
  survey.waves = { count: 2, people: "others" };
  return survey;
};

test("other people are asked in each wave, and a device answers one of them", () => {
  checkPromise(others());
  const kept = storageOf();
  const report = visit(kept, others(), { wave: 2, truths: [0], words: Uint32Array.from([7]) });
  assert.equal(report?.wave, "02");
  const { maps, names, waves, spent } = entry(kept);
  assert.deepEqual([maps, names, waves, spent], [undefined, undefined, undefined, 1098613]);
  for (const wave of [1, 2]) {
    assert.equal(visit(kept, others(), { wave, truths: [1], words: WORDS }), undefined);
  }
});

/**
 * A browser, and what it was asked when.
 * @param {{state?: string, error?: Error, storage?: unknown, permissions?: unknown, userAgentData?: object}} how
 * @param {() => unknown} [now]
 */
function browserOf({ state, error, ...own }, now = () => "asked") {
  /** @type {unknown[]} */
  const asked = [];
  const storage = {
    persist: async () => {
      asked.push(now());
      if (error) throw error;
      return false;
    },
  };
  const query = async () => {
    if (state === undefined) throw new TypeError("no such permission");
    return { state };
  };
  return { asked, browser: { storage, permissions: { query }, ...own } };
}

for (const [what, how, calls] of /** @type {const} */ ([
  ["was allowed to", { state: "granted" }, 1],
  ["is Chromium, which asks nobody", { state: "prompt", userAgentData: {} }, 1],
  ["is Safari, which has no such permission", {}, 1],
  ["is Firefox, which would ask the person", { state: "prompt" }, 0],
  ["was forbidden to", { state: "denied" }, 0],
  ["will not", { state: "granted", error: new Error("no") }, 1],
  ["cannot", { state: "granted", storage: undefined }, 0],
  ["says nothing of it", { permissions: undefined }, 0],
])) {
  test(`a browser that ${what} is asked ${calls} times to forget nothing`, async () => {
    const { asked, browser } = browserOf(how);
    await persist(browser);
    assert.equal(asked.length, calls);
  });
}

test("noise is kept before the browser is asked to forget nothing, and only noise", async (t) => {
  const trial = { ...panel(), kind: /** @type {const} */ ("trial") };
  for (const [survey, seen] of /** @type {const} */ ([
    [panel(), [true]],
    [others(), []],
    [trial, []],
  ])) {
    const kept = storageOf();
    const { asked, browser } = browserOf({ userAgentData: {} }, () => "maps" in entry(kept));
    t.mock.getter(globalThis, "navigator", () => browser);
    assert.ok(visit(kept, survey, { wave: 1 }));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(asked, seen);
    t.mock.restoreAll();
  }
});

refuses("refused where others answer each wave:", others, {
  "answers sent as they are, with an honest table beside": ({ items: [item] }) => {
    item.permanent = item.weights;
    item.weights = [
      [2 ** 32, 0],
      [0, 2 ** 32],
    ];
  },
  "a single wave": (survey) => (Object(survey.waves).count = 1),
});

refuses("refused:", panel, {
  "a law that is not the one that is shown": ({ items: [item] }) => {
    item.weights = [
      [LIKELY - 10, OTHER + 10],
      [OTHER, LIKELY],
    ];
  },
  "a redraw that is no weight": ({ items: [item] }) => (item.redraw = REDRAW + 0.5),
  "a redraw below 0": ({ items: [item] }) => (item.redraw = -1),
  "a redraw that says nothing": ({ items: [item] }) => (item.redraw = 2 ** 31),
  "no redraw": ({ items: [item] }) => delete item.redraw,
  "what is kept is no law": ({ items: [item] }) => (item.permanent = [[1, 2]]),
  "a report that reveals a millionth more": ({ items: [item] }) => (item.once = 0.788457),
  "reports that add up to more": (survey) => Object(survey.waves).once--,
  "changes that reveal more": (survey) => (Object(survey.waves).changing -= 1e-5),
  "more waves than are counted": (survey) => (Object(survey.waves).count = 3),
  "a part of a wave": (survey) => (Object(survey.waves).count = 1.5),
  "all reports' ε that is no number": (survey) => (Object(survey.waves).once = "cheap"),
  "what changes reveal, in text with a blank": (survey) => (Object(survey.waves).changing = " 1 "),
  "nothing said of changes": (survey) => delete Object(survey.waves).changing,
});

/**
 * Of a question of three answers, of which one has no noisy answer that is kept: the row by which it
 * would be reported instead is one that nobody checked.
 */
const atAnyPrice = () =>
  Object.assign(largerPanel(), { epsilon: 100, waves: { count: 2, once: 100, changing: null } });

refuses("refused, whatever it promises:", atAnyPrice, {
  "the last answer sent as it is, nothing drawn again": ({ items: [, item] }) => {
    item.permanent = YES_NO_PERMANENT.map((row) => [...row, 0]);
    item.weights = [...item.permanent, [0, 0, 2 ** 32]];
    item.redraw = 0;
    [item.epsilon, item.once] = [1.098613, 1.098613];
  },
  "the last answer sent as it is, some drawn again": ({ items: [, item] }) => {
    item.permanent?.pop();
    item.weights[2] = [0, 0, 2 ** 32];
  },
  "an honest row that is drawn anew in each wave": ({ items: [, item] }) => item.permanent?.pop(),
  "a row too many": ({ items: [, item] }) => item.permanent?.push([2 ** 31, 2 ** 30, 2 ** 30]),
  "a column too many": ({ items: [, item] }) =>
    item.permanent?.forEach((/** @type {number[]} */ row) => row.push(0)),
  "a column too few": ({ items: [, item] }) => {
    item.permanent = [...YES_NO_PERMANENT, [2 ** 31, 2 ** 31]];
    item.weights = item.permanent.map((/** @type {number[]} */ row) => [...row, 0]);
    item.redraw = 0;
    [item.epsilon, item.once] = [1.098613, 1.098613];
  },
  "a row that is shorter than the others": ({ items: [, item] }) => item.permanent?.[2].pop(),
  "a row that is longer than the others": ({ items: [, item] }) => item.permanent?.[1].push(0),
  "rows that are no lists": ({ items: [, item] }) => (Object(item).permanent = { length: 3 }),
  "no noisy answers at all": ({ items: [, item] }) => delete item.permanent,
});

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
  const words = new Uint32Array(3);
  const ready = [[0, 0], [0, 0, 0], []];
  assert.deepEqual(randomise(survey, [1, 2, 1], words, [], ready), [0, 0, 1]);
  for (const lacking of [[], [[0, 0]], [[0, 0], [0, 0], []]]) {
    assert.throws(() => randomise(survey, [1, 2, 1], words, [], lacking), /more than is promised/);
  }
});

test("what is kept of every truth comes from its own word, and is used again", () => {
  const survey = panel();
  const words = Uint32Array.from([0, THREE, ONE - 1]);
  assert.deepEqual(drawMaps(survey, words), [[1, 0]]);
  assert.deepEqual(drawMaps(survey, words, [[0, 1]]), [[0, 1]]);
});

test("a report is the noisy answer, and another one as often as the redraw says", () => {
  const survey = panel();
  const ready = (/** @type {number} */ word) =>
    readyReports(survey, Uint32Array.from([word]), [[1, 0]])[0];
  // Of the noisy answer 1 the first words are redrawn, of 0 the last: one in eight of each.
  assert.deepEqual(ready(REDRAW - 1), [0, 0]);
  assert.deepEqual(ready(REDRAW), [1, 0]);
  assert.deepEqual(ready(2 ** 32 - REDRAW - 1), [1, 0]);
  assert.deepEqual(ready(2 ** 32 - REDRAW), [1, 1]);
});

const KEY = "deniable:panel";
const WORDS = Uint32Array.from([7, THREE, 0]);

/**
 * Answer a wave on a device, up to what became of it.
 * @param {any} kept
 * @param {number} wave
 * @param {Outcome} [outcome]
 * @param {SurveyDocument} [survey]
 * @param {number[]} [truths]
 */
const answer = (kept, wave, outcome = "stored", survey = panel(), truths = [0]) =>
  visit(kept, survey, { wave, outcome, truths, words: WORDS });

/** @param {any} kept */
const entry = (kept) => JSON.parse(kept[KEY]);

test("a report says its wave, and nothing of it is kept once it has arrived", () => {
  const kept = storageOf();
  for (const wave of [1, 2]) {
    const report = answer(kept, wave);
    assert.deepEqual([report?.answers, report?.wave], ["00", `0${wave}`]);
  }
  assert.deepEqual(Object.keys(kept), [KEY]);
  const { maps, names, reported, waves, ...rest } = entry(kept);
  const { forgotten, ...promised } = waves;
  assert.ok(forgotten > promised.epsilon);
  assert.deepEqual(Object.values(maps), [[1, 0]]);
  assert.deepEqual(new Set(Object.values(names)), new Set(Object.keys(maps)));
  // By its mark, and by its id.
  assert.deepEqual(Object.values(reported), [2, 2]);
  assert.deepEqual(rest, { title: "Panel", spent: 1098613, direct: 0 });
  assert.deepEqual(promised, { ...panel().waves, epsilon: 1.098613, wave: 2 });
});

test("what is kept is the same whatever is answered", () => {
  const kept = [0, 1].map((truth) => {
    const device = storageOf();
    for (const wave of [1, 2]) answer(device, wave, "stored", panel(), [truth]);
    return device[KEY];
  });
  assert.equal(kept[0], kept[1]);
});

test("a noisy answer that is used again costs nothing more, one that is drawn anew costs all", () => {
  const kept = storageOf();
  answer(kept, 1);
  assert.equal(entry(kept).spent, 1098613);
  answer(kept, 2);
  assert.equal(entry(kept).spent, 1098613);
  // The adversary has it drawn anew under another law: that adds.
  const survey = panel();
  survey.items[0].permanent = YES_NO_PERMANENT.map((row) => [...row].reverse());
  assert.equal(answer(kept, 2, "stored", survey), undefined);
  const later = { ...survey, waves: { once: 0, changing: 0, count: 3 } };
  assert.notEqual(answer(kept, 3, "stored", later), undefined);
  assert.equal(entry(kept).spent, 2 * 1098613);
  assert.equal(Object.keys(entry(kept).maps).length, 2);
});

test("a tab that was opened before another one reported draws from the noise that was kept", () => {
  // Words that draw the first noisy answer in one tab, and the last in the other.
  for (const words of [0, 2 ** 32 - 1].map((word) => new Uint32Array(64).fill(word))) {
    const kept = storageOf();
    const memory = openMemoryInWave(kept, panel(), 1, 2);
    const chance = { words, id: "0".repeat(32), asked: [true], chosen: [], orders: new Map() };
    const tab = { session: { survey: panel(), memory }, chance, due: [true], ready: [[0, 1]] };
    tab.ready = memory.ready(chance);
    answer(kept, 1);
    const before = entry(kept).maps;
    const report = Questionnaire.prototype.report.call(tab, [0]);
    // Of the noisy answer 1 all but the last words draw another.
    assert.equal(report.answers, words[0] === 0 ? "00" : "01");
    memory.keep(report, tab.due, memory.price(tab.due));
    assert.deepEqual([entry(kept).maps, entry(kept).spent], [before, 1098613]);
  }
});

test("a report that has not arrived is there for its own wave, and for no other", () => {
  const kept = storageOf();
  const survey = panel();
  const report = answer(kept, 1, "unreachable");
  assert.deepEqual(openMemoryInWave(kept, survey, 1, 1).report(), report);
  assert.equal(openMemoryInWave(kept, survey, 1, 2).report(), undefined);
  assert.notDeepEqual(answer(kept, 2, "unreachable"), report);
  assert.equal(openMemoryInWave(kept, survey, 1, 2).report()?.wave, "02");
});

test("a wave that is answered is not asked again, nor is one before it", () => {
  const kept = storageOf();
  answer(kept, 2);
  assert.deepEqual([answer(kept, 1), answer(kept, 2)], [undefined, undefined]);
  assert.notEqual(answer(storageOf(), 2), undefined);
  // A survey that is asked once more counts the reports of both revisions together.
  const longer = { ...panel(), waves: { once: 0, changing: 0, ...panel().waves, count: 9 } };
  assert.equal(answer(kept, 2, "stored", longer), undefined);
  const { maps } = entry(kept);
  assert.notEqual(answer(kept, 9, "stored", longer), undefined);
  assert.deepEqual(entry(kept).maps, maps);
});

test("of a survey that is revised within a wave only what is new is asked, and says its wave", () => {
  const kept = storageOf();
  answer(kept, 1, "stored", largerPanel(), [0, 0, 0]);
  const revised = largerPanel();
  revised.questions[1].text = "Otherwise?";
  revised.items[1].text = "Otherwise?";
  revised.items[1].id = revised.items[1].question = revised.questions[1].id = "otherwise";
  const report = answer(kept, 1, "stored", revised, [0, 0, 0]);
  assert.match(report?.answers ?? "", /^ff..ff$/);
  assert.equal(report?.wave, "01");
  assert.equal(answer(kept, 1, "stored", revised, [0, 0, 0]), undefined);
  assert.deepEqual(entry(kept).spent, 1098613 + 2 * 693148);
  // In the next wave all of it is asked, and the others use what they had.
  assert.doesNotMatch(answer(kept, 2, "stored", revised, [0, 0, 0])?.answers ?? "ff", /ff/);
  assert.equal(Object.keys(entry(kept).maps).length, 3);
});

test("what a server corrects, or calls otherwise, has no noise drawn anew", () => {
  const kept = storageOf();
  /** @type {(text: string, id?: string, earlier?: SurveyDocument[]) => SurveyDocument} */
  const three = (text, id = "doped", earlier = []) => {
    const survey = { ...panel(), earlier };
    Object(survey.waves).count = 4;
    for (const one of [survey.questions[0], survey.items[0]]) Object.assign(one, { id, text });
    survey.items[0].question = id;
    return survey;
  };
  answer(kept, 1, "stored", three("Doped"));
  const { maps, spent } = entry(kept);
  // Nothing in such a document says what came before it: it may ask something else under this id.
  for (const text of ["Doped?", "Born before July?"]) {
    assert.equal(answer(kept, 2, "stored", three(text)), undefined);
  }
  const doped = three("Doped", "doped", [three("Do you dope?")]);
  const corrected = three("Doped!", "doped", [doped, three("Do you dope?")]);
  for (const [wave, survey] of [doped, corrected, three("Doped!", "x")].entries()) {
    assert.ok(answer(kept, wave + 2, "stored", survey));
  }
  assert.deepEqual([entry(kept).maps, entry(kept).spent], [maps, spent]);
});

test("two questions never share their noise", () => {
  const kept = storageOf();
  answer(kept, 1, "stored", largerPanel(), [0, 0, 0]);
  // Reads as the one that was answered, and the other has its id.
  const survey = largerPanel();
  Object.assign(survey.items[1], { ...survey.items[0], id: "slept", question: "slept" });
  survey.questions[1].text = survey.questions[0].text;
  survey.questions[1].answers = survey.questions[0].answers;
  survey.items[0].text = survey.questions[0].text = "Other";
  const memory = openMemoryInWave(kept, survey, 1, 2);
  assert.deepEqual(memory.due([true, true, true]), [false, true, true]);
  // Two that read alike from the beginning.
  const [device, twins] = [storageOf(), largerPanel()];
  const before = answer(device, 1, "stored", twins, [0, 0, 0]) && entry(device).maps;
  const twice = storageOf();
  Object.assign(twins.items[1], { ...twins.items[0], id: "slept", question: "slept" });
  Object.assign(twins.questions[1], { text: twins.questions[0].text });
  answer(twice, 1, "stored", twins, [0, 0, 0]);
  assert.equal(Object.keys(entry(twice).maps).length, Object.keys(before).length);
});

test("a report of an earlier wave that never arrived is known to be late", () => {
  const kept = storageOf();
  const waveNow = (/** @type {number} */ wave) => openMemoryInWave(kept, panel(), 1, wave).wave;
  assert.deepEqual(waveNow(1), { number: 1, late: false, isNew: false });
  answer(kept, 1, "unreachable");
  assert.deepEqual(
    [waveNow(1), waveNow(2)],
    [
      { number: 1, late: false, isNew: false },
      { number: 2, late: true, isNew: false },
    ],
  );
});

test("a wave that is none is refused", () => {
  for (const wave of [0, 3, 1.5, NaN]) {
    assert.throws(() => openMemoryInWave(undefined, panel(), 1, wave), /more than is promised/);
  }
});

test("each person keeps noisy answers of their own, and forgets them apart", () => {
  const kept = storageOf();
  // Words that draw the first noisy answer for one person, and the last for the other.
  [0, 2 ** 32 - 1].forEach((word, place) => {
    visit(kept, panel(), { words: new Uint32Array(64).fill(word), person: place + 1, wave: 1 });
  });
  const maps = (/** @type {string} */ key) => Object.values(JSON.parse(kept[key]).maps);
  assert.deepEqual([maps(KEY), maps(`${KEY}:2`)], [[[0, 0]], [[1, 1]]]);
  assert.equal(visit(kept, panel(), { person: 2, wave: 1 }), undefined);
  assert.ok(visit(kept, panel(), { person: 2, wave: 2 }));
  forget(kept, "panel", 1);
  assert.deepEqual(maps(`${KEY}:2`), [[1, 1]]);
  assert.ok(visit(kept, panel(), { person: 1, wave: 1 }));
});

test("the ledger lists it once, and leaving takes all of it", () => {
  const kept = storageOf();
  answer(kept, 1, "unreachable");
  const [{ surveys, total }] = readLedger(kept);
  assert.equal(surveys.length, 1);
  const { forgotten, ...promised } = surveys[0].waves ?? {};
  // Two reports, each drawn anew: twice what one reveals.
  assert.ok(Math.abs(Number(forgotten) - 2 * Math.log(2.2)) < 1e-6);
  assert.deepEqual(promised, {
    wave: 1,
    count: 2,
    once: 0.788458,
    changing: 2 * 1.945911,
    epsilon: 1.098613,
  });
  assert.equal(total, 1098613);
  forget(kept, "panel");
  assert.deepEqual(Object.keys(kept), []);
});
