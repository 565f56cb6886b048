// promise: trials
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accountOf,
  isTrial,
  openMemory,
  peopleOn,
} from "../../../../client/browser/core/memory.js";
import { entriesIn } from "../../../../client/browser/core/storage.js";
import { storageOfPage } from "../../../../client/browser/core/trial.js";
import { visit } from "../device.js";
import { freshDocument } from "../vectors.js";

const survey = freshDocument();

test("the name in the document alone says that it is a trial", () => {
  const called = (/** @type {string} */ name) => isTrial({ ...survey, survey: name });
  assert.equal(called("trial-doping"), true);
  for (const name of ["doping", "trial", "trials-a", "a-trial-", " trial-a", "Trial-a", ""]) {
    assert.equal(called(name), false, name);
  }
  // Whatever else a server writes into it.
  const more = { ...survey, trial: true, is_trial: true, title: "trial-doping", id: "trial-x" };
  assert.equal(isTrial(more), false);
});

test("a page's own storage works as this device's does, and is gone with the page", () => {
  const storage = storageOfPage();
  const trial = { ...survey, survey: "trial-doping" };
  assert.equal(openMemory(storage, trial, 1).works, true);
  assert.deepEqual(entriesIn(storage), []);
  assert.ok(visit(storage, trial));
  assert.equal(visit(storage, trial), undefined);
  assert.ok(visit(storage, trial, { person: 2 }));
  assert.deepEqual(peopleOn(storage), [1, 2]);
  assert.ok(accountOf(storage, 1).total > 0);
  assert.deepEqual(entriesIn(storageOfPage()), []);
  assert.ok(visit(storageOfPage(), trial));
});
