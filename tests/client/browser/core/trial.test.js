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

test("the kind in the document alone says that it is a trial", () => {
  assert.equal(isTrial({ ...survey, kind: "trial" }), true);
  for (const kind of ["meeting", "Trial", " trial", "", true, undefined]) {
    assert.equal(isTrial({ ...survey, kind: /** @type {any} */ (kind) }), false, String(kind));
  }
  // Whatever else a server writes into it.
  const more = { ...survey, survey: "trial-doping", parent: "doping", trial: true, is_trial: true };
  assert.equal(isTrial(more), false);
});

test("a page's own storage works as this device's does, and is gone with the page", () => {
  const storage = storageOfPage();
  /** @type {SurveyDocument} */
  const trial = { ...survey, kind: "trial", parent: "doping" };
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
