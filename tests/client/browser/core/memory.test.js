/** What this device remembers: what nobody is asked again, what it cost, and nothing of an answer. */
// promise: after-sending, once, ledger, counted-once

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  accountOf,
  keepLimit,
  idsOf,
  marksOf,
  seen,
  openMemory,
  peopleOn,
} from "../../../../client/browser/core/memory.js";
import { bytesOf, makeReport } from "../../../../client/browser/core/report.js";
import { storageOf, visit } from "../device.js";
import { freshDocument, survey as vector } from "../vectors.js";

const ALL = vector.document.items.map(() => true);
const NONE = ALL.map(() => false);

const KEY = "deniable:doping";

/** What the survey's items cost, in millionths of ε. */
const COSTS = vector.document.items.map(({ epsilon }) => Math.round((epsilon ?? 0) * 1e6));
const WHOLE = COSTS.reduce((sum, cost) => sum + cost, 0);

/**
 * The survey revised.
 * @param {(survey: SurveyDocument) => void} change
 */
function revised(change) {
  const survey = freshDocument();
  change(survey);
  survey.revision = "0".repeat(32);
  return survey;
}

/** @param {any} storage */
const entry = (storage) => JSON.parse(storage[KEY]);

/**
 * Change all texts that a person reads of the questions.
 * @param {SurveyDocument} survey
 * @param {(text: string) => string} change
 */
function reword({ questions, items }, change) {
  for (const one of [...questions, ...items]) one.text = change(one.text);
  for (const { truths } of items) for (const truth of truths) truth.text = change(truth.text);
}

/** @type {Record<string, (text: string) => string>} */
const UNSEEN = {
  "a zero-width space": (text) => `${text}\u200b`,
  "a zero-width joiner within": (text) => `${text.slice(0, 1)}\u200d${text.slice(1)}`,
  "a soft hyphen": (text) => `${text.slice(0, 2)}\u00ad${text.slice(2)}`,
  "a variation selector": (text) => `${text}\ufe0f`,
  "a Hangul filler": (text) => `${text}\u3164`,
  "a blank more": (text) => ` ${text.replaceAll(" ", "  ")} `,
  "a blank that does not break": (text) => text.replaceAll(" ", "\u00a0"),
  "a line's end": (text) => `${text}\n`,
  "letters in another form": (text) => text.normalize("NFD"),
  "letters of full width": (text) =>
    text.replace(/[A-Za-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
};
for (const [what, change] of Object.entries(UNSEEN)) {
  test(`no fresh noise is drawn after ${what}`, () => {
    assert.deepEqual(
      marksOf(revised((survey) => reword(survey, change))),
      marksOf(freshDocument()),
    );
  });
}

test("nor after something unseen between a letter and its accent", () => {
  const words = [
    "F\u00fchlst",
    "Fu\u034f\u0308hlst",
    "Fu\u200d\u0308hlst\u{1d159}",
    "Fu\u0308hlst",
  ];
  assert.deepEqual([...new Set(words.map(seen))], ["F\u00fchlst"]);
});

test("nor after other weights, another name, other codes, or another title", () => {
  const device = storageOf();
  visit(device, freshDocument());
  const survey = revised((other) => {
    other.title = "Another title";
    other.items[0].weights[0][0] -= 1;
    other.items[0].weights[0][1] += 1;
    other.items[1].id = "another.id";
    other.items[1].truths[0].code = "another";
    other.questions[0].id = other.items[0].question = "another";
  });
  assert.equal(visit(device, survey), undefined);
});

test("of a revised survey only what is new is reported, the rest is not asked", () => {
  const device = storageOf();
  visit(device, freshDocument());
  const survey = revised(({ items }) =>
    Object.assign(items[1], { id: "new", text: "Growth hormone" }),
  );
  const report = visit(device, survey);
  assert.deepEqual(
    bytesOf(report?.answers ?? "").map((byte) => byte === 255),
    [true, false, true, true, true, true],
  );
  // What the first report cost, and the one item of the second.
  assert.equal(accountOf(device, 1).total, WHOLE + COSTS[1]);
  assert.equal(visit(device, survey), undefined);
  assert.equal(visit(device, freshDocument()), undefined);
});

/** Asked under a new id. @param {Item} item */
function younger(item) {
  item.id = "younger";
  item.truths[0].text = "under 16";
}

test("an answer that nothing protects is counted, and not as an ε of 0", () => {
  const device = storageOf();
  const survey = freshDocument();
  const direct = survey.questions.filter(({ protection }) => protection === "direct").length;
  assert.ok(direct > 0);
  // The same whatever is true.
  for (const truth of [0, 1]) {
    const fresh = storageOf();
    visit(fresh, survey, { truths: survey.items.map(() => truth) });
    assert.equal(entry(fresh).direct, direct);
  }
  visit(device, survey);
  visit(device, survey);
  assert.deepEqual([entry(device).spent, entry(device).direct], [WHOLE, direct]);
  const other = revised(({ items }) => younger(items[COSTS.indexOf(0)]));
  visit(device, other);
  assert.deepEqual([entry(device).spent, entry(device).direct], [WHOLE, direct + 1]);
});

test("a direct grid is one question, however many rows it has", () => {
  const place = COSTS.indexOf(0);
  const survey = revised(({ items }) => {
    items.push({ ...items[place], id: "row", text: "Another row" });
  });
  const device = storageOf();
  visit(device, survey);
  assert.equal(entry(device).direct, 1);
});

test("a revised survey that asks a question twice has nobody answer it again", () => {
  const device = storageOf();
  visit(device, freshDocument());
  const survey = revised(({ items }) => items.push({ ...items[0], id: "twin" }));
  assert.equal(visit(device, survey), undefined);
});

test("two questions that read alike are both asked, once each", () => {
  const survey = revised(({ questions, items }) => {
    questions[1].text = questions[0].text;
    for (const item of items.slice(1, 3)) Object.assign(item, { text: items[0].text });
    items[2].truths = items[1].truths = items[0].truths;
  });
  const device = storageOf();
  assert.ok(!bytesOf(visit(device, survey)?.answers ?? "").includes(255));
  assert.equal(visit(device, survey), undefined);
});

test("after the acknowledgement the device keeps marks and what was spent, whatever was answered", () => {
  const kept = [0, 1].flatMap((truth) =>
    [7, 2 ** 32 - 1].map((word) => {
      const device = storageOf();
      const report = visit(device, freshDocument(), {
        truths: vector.truths.map((_truth, place) => (place === 5 ? 2 * truth : truth)),
        words: new Uint32Array(64).fill(word),
      });
      assert.ok(!JSON.stringify(device).includes(report?.id ?? ""));
      return JSON.stringify(device);
    }),
  );
  assert.equal(new Set(kept).size, 1);
  const { reported, ...rest } = JSON.parse(JSON.parse(kept[0])[KEY]);
  assert.deepEqual(rest, { title: vector.document.title, spent: WHOLE, direct: 1 });
  const marks = [...marksOf(freshDocument()), ...idsOf(freshDocument())];
  assert.deepEqual(reported, Object.fromEntries(marks.map((mark) => [mark, 0])));
});

test("until it has arrived a report stays as it is, and is sent again", () => {
  const device = storageOf();
  const survey = freshDocument();
  const report = visit(device, survey, { outcome: "unreachable" });
  assert.deepEqual(entry(device).unsent, report);
  assert.deepEqual(visit(device, survey, { outcome: "closed" }), report);
  assert.deepEqual([entry(device).unsent, entry(device).outcome], [report, "closed"]);
  // As it was also where the survey was revised meanwhile, under its own revision.
  const other = revised(({ items }) => Object.assign(items[0], { id: "n", text: "Other" }));
  assert.deepEqual(visit(device, other), report);
  assert.deepEqual([entry(device).unsent, entry(device).outcome], [undefined, undefined]);
  // It was paid for once.
  assert.equal(accountOf(device, 1).total, WHOLE);
  assert.notEqual(visit(device, other), undefined);
});

test("what was forgotten meanwhile, or is another report, is not written again", () => {
  const device = storageOf();
  const survey = freshDocument();
  const memory = openMemory(device, survey, 1);
  const report = visit(device, survey, { outcome: "unreachable" }) ?? assert.fail();
  const before = device[KEY];
  memory.settle({ ...report, id: "f".repeat(32) }, "stored");
  assert.equal(device[KEY], before);
  delete device[KEY];
  memory.settle(report, "refused");
  assert.deepEqual(Object.keys(device), []);
});

test("what was not asked is not kept as reported, and costs nothing", () => {
  const device = storageOf();
  const survey = freshDocument();
  const memory = openMemory(device, survey, 1);
  const asked = ALL.map((_is, place) => place !== 1 && place !== 2);
  const due = memory.due(asked);
  assert.deepEqual(due, asked);
  memory.keep(makeReport(survey, "0".repeat(32), [0, 255, 255, 1, 2, 0]), due, memory.price(due));
  assert.equal(accountOf(device, 1).total, WHOLE - COSTS[1] - COSTS[2]);
  assert.deepEqual(
    openMemory(device, survey, 1).due(ALL),
    asked.map((is) => !is),
  );
});

test("each person on the device counts apart", () => {
  const device = storageOf();
  const survey = freshDocument();
  assert.ok(visit(device, survey, { person: 1 }));
  assert.ok(visit(device, survey, { person: 2 }));
  assert.equal(visit(device, survey, { person: 2 }), undefined);
  const other = { ...freshDocument(), survey: "other" };
  assert.ok(visit(device, other, { person: 2 }));
  assert.deepEqual(
    [1, 2, 3].map((person) => accountOf(device, person).total),
    [WHOLE, 2 * WHOLE, 0],
  );
});

test("above the limit nothing is asked until the person raises it", () => {
  const device = storageOf();
  const answer = (/** @type {number} */ survey) =>
    visit(device, { ...freshDocument(), survey: `s${survey}` });
  const most = Math.floor(10e6 / WHOLE);
  for (let survey = 0; survey < most; survey += 1) assert.ok(answer(survey));
  assert.throws(() => answer(most), /above the limit/);
  // Nothing was kept of it; who has reported already is told so, and others are asked.
  assert.equal(accountOf(device, 1).total, most * WHOLE);
  assert.equal(answer(0), undefined);
  assert.ok(visit(device, freshDocument(), { person: 2 }));
  device.setItem("deniable:", JSON.stringify({ limit: (most + 1) * WHOLE }));
  assert.ok(answer(most));
  assert.throws(() => answer(most + 1), /above the limit/);
});

test("a person above the limit who has reported nothing is known, so that they can raise it", () => {
  const dear = freshDocument();
  dear.items[0].epsilon = 10.1;
  const device = storageOf();
  assert.throws(() => visit(device, dear, { person: 2 }), /above the limit/);
  assert.deepEqual(peopleOn(device), [1, 2]);
  assert.equal(accountOf(device, 2).total, 0);
  keepLimit(device, 2, 20e6);
  assert.ok(visit(device, dear, { person: 2 }));
  // The others stay where they were; where nothing can be kept, it is refused all the same.
  assert.throws(() => visit(device, dear), /above the limit/);
  assert.equal(device["deniable:"], undefined);
  assert.throws(() => visit(undefined, dear, { person: 2 }), /above the limit/);
});

test("the limit is ten, reached and not passed, and holds where nothing can be kept", () => {
  const device = storageOf({ "deniable:a": '{"spent":9000000}', "deniable:b:2": '{"spent":5}' });
  for (const [storage, left] of [
    [undefined, 10e6],
    [device, 1e6],
  ]) {
    assert.equal(accountOf(storage, 1, left).isAbove, false);
    assert.equal(accountOf(storage, 1, left + 1).isAbove, true);
  }
  // What costs nothing is asked whatever was spent.
  assert.equal(accountOf(storageOf({ "deniable:a": '{"spent":11000000}' }), 1).isAbove, false);
});

test("a spoilt memory is as good as none", () => {
  for (const spoilt of ["", "{", "null", "7", '{"reported":3}', '{"reported":{"a":"b"}}', "[]"]) {
    const device = storageOf({ [KEY]: spoilt });
    const memory = openMemory(device, freshDocument(), 1);
    assert.deepEqual([memory.report(), memory.due(ALL)], [undefined, ALL]);
    assert.deepEqual(memory.drawn(), []);
    assert.ok(visit(device, freshDocument()));
  }
});

test("what was drawn is remembered by name, the latest first, and it is no report", () => {
  const device = storageOf();
  const memory = openMemory(device, freshDocument(), 1);
  assert.deepEqual(memory.drawn(), []);
  memory.keepDrawn(["b", "a.one"]);
  memory.keepDrawn(["c", "b"]);
  assert.deepEqual(openMemory(device, freshDocument(), 1).drawn(), ["c", "b", "a.one"]);
  assert.equal(device[KEY], '{"drawn":["c","b","a.one"]}');
  assert.deepEqual(memory.due(ALL), ALL);
});

test("a browser without storage remembers nothing, and it is known", () => {
  const survey = freshDocument();
  const full = storageOf();
  full.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  for (const device of [undefined, full]) {
    const memory = openMemory(device, survey, 1);
    const report = visit(device, survey);
    memory.keepDrawn(["a"]);
    assert.notEqual(report, undefined);
    assert.deepEqual([memory.works, memory.report(), memory.drawn()], [false, undefined, []]);
    assert.deepEqual(memory.due(ALL), ALL);
    assert.deepEqual(memory.due(NONE), NONE);
  }
  assert.ok(openMemory(storageOf(), survey, 1).works);
});

test("the ledger's link leads to a survey whose name is its address", () => {
  const device = storageOf();
  visit(
    device,
    revised((survey) => (survey.address = "named")),
    { outcome: "unreachable" },
  );
  assert.equal(entry(device).address, "named");
});
