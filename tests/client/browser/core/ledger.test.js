/** All that this device remembers, for the person to read. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { readLedger } from "../../../../client/browser/core/ledger.js";
import { peopleOn } from "../../../../client/browser/core/memory.js";
import { storageOf } from "../device.js";

/** @param {object} more */
const kept = (more) => JSON.stringify({ reported: { m: 0 }, spent: 1e6, ...more });

test("surveys are listed by title for each person, with what all of them revealed", () => {
  const storage = storageOf({
    "deniable:doping": kept({ title: "Doping" }),
    "deniable:b": kept({ title: "A survey", spent: 2500000 }),
    "deniable:c:2": kept({ title: "Another" }),
    "deniable:": '{"limit":20000000}',
    "somebody:else": "1",
  });
  const [first, second, ...others] = readLedger(storage);
  assert.deepEqual(others, []);
  assert.deepEqual(
    first.surveys.map(({ survey, title, spent }) => [survey, title, spent]),
    [
      ["b", "A survey", 2500000],
      ["doping", "Doping", 1e6],
    ],
  );
  assert.deepEqual([first.person, first.total, first.limit], [1, 3500000, 20e6]);
  assert.deepEqual([second.person, second.total, second.limit], [2, 1e6, 10e6]);
});

test("what was only opened, or is broken, is no entry", () => {
  const storage = storageOf({
    "deniable:opened": '{"drawn":["a"]}',
    "deniable:bad": "{",
    "deniable:odd": "3",
    "deniable:opened:2": '{"drawn":["b"]}',
  });
  assert.deepEqual(readLedger(storage), [
    { person: 1, surveys: [], total: 0, limit: 10e6, isAbove: false },
  ]);
});

test("everybody who reported or has a limit uses the device, by number", () => {
  const storage = storageOf({
    "deniable:a:10": kept({}),
    "deniable:a:2": kept({}),
    "deniable::3": '{"limit":10000000}',
    "deniable:a:4": '{"drawn":["a"]}',
  });
  assert.deepEqual(peopleOn(storage), [1, 2, 3, 10]);
  assert.deepEqual(
    readLedger(storage).map(({ person, surveys }) => [person, surveys.length]),
    [
      [1, 0],
      [2, 1],
      [3, 0],
      [10, 1],
    ],
  );
  assert.deepEqual(peopleOn(undefined), [1]);
});
