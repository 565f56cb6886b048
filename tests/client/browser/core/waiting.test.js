/** A report that waits on a device is sent after an upgrade, as it was written before it. */
// promise: upgrade

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { accountOf, openMemory } from "../../../../client/browser/core/memory.js";
import { send } from "../../../../client/browser/core/submission.js";
import { storageOf } from "../device.js";

/** Frozen by tests/vectors/waiting.py, and from the first release on for good. */
const frozen = JSON.parse(
  readFileSync(new URL("../../../vectors/waiting.json", import.meta.url), "utf8"),
);
const { revision, document } = frozen.rows.revisions;

test("what an earlier program kept is found, sent in the same bytes, and counted once", async () => {
  const storage = storageOf(frozen.storage);
  const survey = { ...JSON.parse(document.split("\n")[0]), revision };
  const memory = openMemory(storage, survey, 1);
  const report = memory.report();
  assert.ok(report);
  /** @type {unknown[]} */
  const bodies = [];
  const outcome = await send("/s/x/", report, undefined, {
    fetch: async (_address, { body }) => {
      bodies.push(body);
      return new Response(JSON.stringify({ about: report.id }), { status: 201 });
    },
  });
  assert.deepEqual(bodies, [frozen.body]);
  memory.settle(report, outcome);
  assert.equal(memory.report(), undefined);
  // Nothing is asked again, and what it cost is still known.
  const all = survey.items.map(() => true);
  assert.ok(!memory.due(all).includes(true));
  assert.ok(accountOf(storage, 1).total > 0);
});
