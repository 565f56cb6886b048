/** A device without a page: what it refuses, its storage, and somebody who answers as they can. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { openMemory } from "../../../client/browser/core/memory.js";
import { openMemoryInWave } from "../../../client/browser/core/memoryinwaves.js";
import { checkPromise } from "../../../client/browser/core/protocol.js";
import { insteadOf, showLimit } from "../../../client/browser/page/person.js";
import { makeReport, randomise } from "../../../client/browser/core/report.js";
import { byGroups } from "../../../client/browser/core/together.js";

/**
 * A `Storage` in memory, whose keys are its own properties as in a browser.
 * @param {Record<string, string>} [entries]
 * @returns {any}
 */
export function storageOf(entries = {}) {
  /** @type {any} */
  const storage = Object.create({
    getItem: (/** @type {string} */ key) => (Object.hasOwn(storage, key) ? storage[key] : null),
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => (storage[key] = value),
    removeItem: (/** @type {string} */ key) => delete storage[key],
  });
  return Object.assign(storage, entries);
}

let reports = 0;

/**
 * Open the page and answer it, in the order of page/page.js and page/questionnaire.js.
 * @param {any} storage
 * @param {SurveyDocument} survey
 * @param {{truths?: number[], words?: Uint32Array<ArrayBuffer>, outcome?: Outcome, person?: number, wave?: number}} [how]
 * @returns {NoisyReport | undefined} what was sent; nothing where nothing was
 */
export function visit(storage, survey, how = {}) {
  const { truths = survey.items.map(() => 0), outcome = "stored", person = 1, wave = 0 } = how;
  const { words = crypto.getRandomValues(new Uint32Array(64)) } = how;
  const own = wave
    ? openMemoryInWave(storage, survey, person, wave)
    : openMemory(storage, survey, person);
  const memory = survey.together ? byGroups(survey, own) : own;
  let report = memory.report();
  if (!report) {
    const due = memory.due(survey.items.map(() => true));
    const instead = insteadOf({ storage, person, memory }, due);
    if (instead === showLimit) throw new Error("above the limit");
    if (instead) return undefined;
    const id = (reports += 1).toString(16).padStart(32, "0");
    const bytes = randomise(survey, truths, words, due, memory.ready({ words, orders: new Map() }));
    report = makeReport(survey, id, bytes, wave);
    memory.keep(report, due, memory.price(due));
  }
  memory.settle(report, outcome);
  return report;
}

/**
 * Test that the device refuses a document after each of some changes.
 * @param {string} called what each test is called before what its change is
 * @param {() => SurveyDocument} fresh makes an honest document
 * @param {Record<string, (survey: any) => void>} changes
 * @param {import("node:assert").AssertPredicate} [said]
 */
export function refuses(called, fresh, changes, said = Error) {
  for (const [what, change] of Object.entries(changes)) {
    test(`${called} ${what}`, () => {
      const survey = fresh();
      checkPromise(survey);
      change(survey);
      assert.throws(() => checkPromise(survey), said);
    });
  }
}
