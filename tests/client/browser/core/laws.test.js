/** The law that mutants are judged by, where it can be worked out by hand. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { programIn, revealedInWaves, revealedOnce } from "../laws.js";
import { largerPanel } from "../panel.js";
import { freshAsking, freshBranching, freshDocument } from "../vectors.js";

const program = await programIn(new URL("../../../../client/browser/", import.meta.url).toString());

/** @param {number} one @param {number} other @param {number} [within] */
const close = (one, other, within = 1e-12) =>
  assert.ok(Math.abs(one - other) < within, `${one}, expected ${other}`);

test("the law of waves that is found by running the program is the one that is worked out", () => {
  const survey = largerPanel();
  const [doped, slept] = [0, 1].map((place) => revealedInWaves(program, survey, place));
  close(doped.once, Math.log(11 / 5));
  close(doped.changing, Math.log(7));
  close(slept.once, Math.log(30 / 17));
  close(slept.changing, Math.log(14));
  // Three times the same report: 7/8 cubed of 3 in 4 and 1/8 cubed of 1 in 4, or the other way.
  close(doped.longitudinal, Math.log((3 * 343 + 1) / (343 + 3)));
});

test("so is the law of whole reports, also where chance draws and questions are skipped", () => {
  for (const survey of [freshDocument(), freshAsking(), freshBranching()]) {
    const { items, together } = revealedOnce(program, survey);
    items.forEach((found, place) => {
      close(found, survey.items[place].epsilon ?? 0, 1e-6);
    });
    assert.ok(together <= survey.epsilon + 1e-9 && together > survey.epsilon / 3, `${together}`);
  }
});
