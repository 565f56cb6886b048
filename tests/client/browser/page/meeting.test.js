/** A phone in a class: what it keeps, sends again, and asks before it costs more. */
// promise: runs

import assert from "node:assert/strict";
import { test } from "node:test";

import { accountOf, openMemory, readEntry } from "../../../../client/browser/core/memory.js";
import { keyOf } from "../../../../client/browser/core/storage.js";
import { storageOfPage } from "../../../../client/browser/core/trial.js";
import { joined } from "../../../../client/browser/page/meeting.js";
import { freshDocument } from "../vectors.js";

/** @type {MeetingQuestion} */
const QUESTION = { code: "K7M4RX", number: 1, run: 1, asks: "randomised" };

const nothingIsSent = () => assert.fail("nothing is to be sent");

/** The name is only an address. @param {MeetingQuestion} of */
const nameOf = ({ code, number, run, asks }) => `any-${code}-${number}-${run}-${asks}`;

/** @param {MeetingQuestion} parent @param {string} more of its text @returns {SurveyDocument} */
function asked(parent, more = "") {
  const document = freshDocument();
  const items = document.items
    .filter(({ epsilon }) => epsilon !== null)
    .map((item) => ({ ...item, text: item.text + more }));
  return { ...document, items, survey: nameOf(parent), kind: "meeting", parent };
}

/**
 * What a phone's page joins by a document. It follows no class: that takes a server.
 * @param {SurveyDocument} survey @param {Storage} storage @param {string} round
 */
function meetingOf(survey, storage = storageOfPage(), round = "1") {
  const dataset = { follows: "yes" };
  const root = /** @type {HTMLElement} */ (/** @type {unknown} */ ({ dataset }));
  const device = { root, storage, randomness: () => {}, tab: { name: "" } };
  return joined(device, survey, Number(round), nothingIsSent);
}

/**
 * @param {Storage} storage
 * @param {MeetingQuestion} question
 * @param {string} round
 * @param {string} [more]
 * @param {Item[]} [items] other ones
 */
function open(storage, question, round = "1", more = "", items = undefined) {
  const survey = { ...asked(question, more), ...(items && { items }) };
  const meeting = meetingOf(survey, storage, round);
  assert.ok(meeting);
  const memory = meeting.keeping(openMemory(storage, survey, 1));
  return { meeting, memory, survey };
}

/** @param {ReturnType<typeof open>} page @returns {NoisyReport} */
function send({ memory, survey }) {
  const due = memory.due(survey.items.map(() => true));
  const report = {
    survey: survey.survey,
    revision: survey.revision,
    id: "0".repeat(32),
    answers: "00".repeat(survey.items.length),
  };
  memory.keep(report, due, memory.price(due));
  memory.settle(report, "stored");
  return report;
}

test("only the kind in the document makes it a question of a meeting", () => {
  const question = asked(QUESTION);
  const { kind, parent, ...plain } = question;
  for (const survey of [
    { ...plain, survey: "meeting-k7m4rx-1-1" },
    { ...plain, parent, survey: "meeting.k7m4rx-1-1" },
    { ...plain, kind, parent: "K7M4RX" },
    { ...plain, kind },
    { ...question, kind: /** @type {const} */ ("trial") },
  ]) {
    assert.equal(meetingOf(survey), undefined, JSON.stringify(survey.survey));
  }
  assert.ok(meetingOf(question));
});

test("a report that was removed is sent again, the same, once in each round", () => {
  const storage = storageOfPage();
  const report = send(open(storage, QUESTION));
  assert.equal(open(storage, QUESTION).memory.report(), undefined);
  const again = open(storage, QUESTION, "2");
  assert.deepEqual(again.memory.report(), report);
  assert.match(again.meeting.arrived()[0], /same report again/);
  const before = accountOf(storage, 1).total;
  again.memory.settle(report, "stored");
  assert.equal(open(storage, QUESTION, "2").memory.report(), undefined);
  assert.equal(accountOf(storage, 1).total, before);
  // Closed when it came: it is tried once more.
  open(storage, QUESTION, "3").memory.settle(report, "closed");
  assert.deepEqual(open(storage, QUESTION, "3").memory.report(), report);
});

test("an answer that nothing protects is not kept, whatever the server calls its question", () => {
  const storage = storageOfPage();
  const direct = freshDocument().items.filter(({ epsilon }) => epsilon === null);
  assert.ok(direct.length > 0);
  for (const [asks, items] of /** @type {const} */ ([
    ["direct", undefined],
    ["prior", undefined],
    ["randomised", direct],
  ])) {
    const page = open(storage, { ...QUESTION, asks }, "1", "", items);
    send(page);
    assert.equal(readEntry(storage, keyOf(page.survey.survey, 1)).sent, undefined);
  }
});

test("what a person made this device forget stays forgotten", () => {
  const storage = storageOfPage();
  const page = open(storage, QUESTION);
  const report = send(page);
  storage.removeItem(keyOf(nameOf(QUESTION), 1));
  page.memory.settle(report, "stored");
  assert.equal(open(storage, QUESTION, "2").memory.report(), undefined);
  assert.deepEqual(Object.keys(readEntry(storage, keyOf(nameOf(QUESTION), 1))), []);
});

test("another run, and no other question, is asked only of who agrees", async () => {
  const storage = storageOfPage();
  send(open(storage, QUESTION));
  const next = { ...QUESTION, number: 2 };
  const elsewhere = { ...QUESTION, code: "P3M4RX" };
  for (const [free, price, person] of /** @type {const} */ ([
    [open(storage, next, "1", "Another."), 1000, 1],
    [open(storage, elsewhere, "1", "Another."), 1000, 1],
    [open(storage, elsewhere), 1000, 2],
    [open(storage, QUESTION), 0, 1],
  ])) {
    assert.equal(await free.meeting.agrees(price, person), true);
  }
  for (const again of [
    open(storage, { ...QUESTION, run: 2 }),
    open(storage, { ...QUESTION, run: 2 }, "1", "Another."),
    // At another place of the meeting, for people it is the same.
    open(storage, next),
    open(storage, next, "1", "\u200b "),
    // In another meeting, to which the class is led.
    open(storage, elsewhere),
  ]) {
    // It would draw the question on a page; there is none here.
    await assert.rejects(async () => again.meeting.agrees(1000, 1), /document/);
  }
});
