import assert from "node:assert/strict";
import { test } from "node:test";

import { dropReceipt, readLedger, total } from "../../../../client/browser/core/ledger.js";
import { forget } from "../../../../client/browser/core/storage.js";

/**
 * A storage whose keys are its own properties, as a browser's are.
 *
 * @param {Record<string, string>} entries
 * @returns {any}
 */
function storageOf(entries) {
  const storage = Object.create({
    getItem: (/** @type {string} */ key) => (key in storage ? storage[key] : null),
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => (storage[key] = value),
    removeItem: (/** @type {string} */ key) => delete storage[key],
  });
  return Object.assign(storage, entries);
}

const NOTES = { outcome: undefined, receipt: undefined };

/** @param {object} more */
const kept = (more) =>
  JSON.stringify({ revision: "r", id: "i", answers: "01", items: [], ...more });

test("surveys are listed by title, with what each report revealed", () => {
  const storage = storageOf({
    "deniable:doping": kept({ title: "Doping", epsilon: 1.098613 }),
    "deniable:doping:drawn": '["a"]',
    "deniable:b": kept({ title: "A survey", epsilon: 2 }),
    "somebody:else": "1",
  });
  assert.deepEqual(readLedger(storage), [
    { survey: "b", title: "A survey", epsilon: 2, answers: "01", ...NOTES },
    { survey: "doping", title: "Doping", epsilon: 1.098613, answers: "01", ...NOTES },
  ]);
});

test("what is kept by an older page, or broken, is no entry with an epsilon", () => {
  const storage = storageOf({ "deniable:old": kept({}), "deniable:bad": "{", "deniable:odd": "3" });
  assert.deepEqual(readLedger(storage), [
    { survey: "old", title: "old", epsilon: undefined, answers: "01", ...NOTES },
  ]);
});

test("epsilons add up, unless one of them is not known", () => {
  const entry = (/** @type {number | undefined} */ epsilon) => ({
    survey: "s",
    title: "S",
    epsilon,
    answers: "00",
    ...NOTES,
  });
  assert.equal(total([]), 0);
  assert.equal(total([entry(1), entry(2.5)]), 3.5);
  assert.equal(total([entry(1), entry(undefined), entry(2)]), undefined);
});

test("forgetting takes all of one survey and nothing of another", () => {
  const storage = storageOf({
    "deniable:a": kept({}),
    "deniable:a:drawn": "[]",
    "deniable:ab": kept({}),
    other: "x",
  });
  forget(storage, "a");
  assert.deepEqual(Object.keys(storage).sort(), ["deniable:ab", "other"]);
});

test("what became of a report, and its receipt, are listed, and a receipt can be removed alone", () => {
  const receipt = [["Doped?", "Yes"]];
  const storage = storageOf({
    "deniable:a": kept({ outcome: "stored", receipt }),
    "deniable:b": kept({ receipt: "no list" }),
  });
  const [a, b] = readLedger(storage);
  assert.deepEqual([a.outcome, a.receipt], ["stored", receipt]);
  assert.deepEqual([b.outcome, b.receipt], [undefined, undefined]);
  dropReceipt(storage, "a");
  assert.equal(storage["deniable:a"], kept({ outcome: "stored" }));
});
