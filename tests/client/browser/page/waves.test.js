/** What is said of a survey that is asked in waves. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cameInTime,
  cameTooLate,
  ifTheyChange,
  ifTheyChangeInShort,
  threeCosts,
  wavesInWords,
} from "../../../../client/browser/page/waves.js";
import { lossIfForgotten } from "../../../../client/browser/core/waves.js";
import { inHundredBy } from "../../../../client/browser/page/odds.js";
import { implication, sureness } from "../../../../client/browser/page/sureness.js";
import { forgetful, freshDocument } from "../vectors.js";
import { panel } from "../panel.js";

test("what came too late is said to have come too late", () => {
  assert.match(cameTooLate().join(" "), /ended before your report arrived/);
  assert.match(cameInTime().join(" "), /open the same link on this device/);
});

test("before the first question stand the wave, what it costs, and what may have come too late", () => {
  const waveNotes = wavesInWords(panel(), { number: 2, late: true }, null);
  assert.match(waveNotes?.lines.join(" ") ?? "", /Wave 2 of 2 .* may have arrived too late\.$/);
  assert.doesNotMatch(
    wavesInWords(panel(), { number: 1, late: false }, null)?.lines.join(" ") ?? "late",
    /late/,
  );
});

test("until when a wave is open is said where it is known", () => {
  const current = { number: 1, late: false };
  const [, ...known] =
    wavesInWords(panel(), current, Date.UTC(2030, 0, 15, 12) / 1000)?.lines ?? [];
  assert.match(known.join(), /^Open until .*15.*2030/);
  assert.equal(wavesInWords(panel(), current, null)?.lines.length, 1);
});

test("a survey that is asked once has no waves to speak of", () => {
  assert.equal(wavesInWords(freshDocument(), undefined, null), undefined);
});

test("where other people answer each wave, nothing is said of coming back", () => {
  /** @type {SurveyDocument} */
  const survey = { ...panel(), waves: { count: 2, people: "others" } };
  const said = wavesInWords(survey, { number: 1, late: false }, null);
  assert.deepEqual([said?.lines.length, said?.back], [1, undefined]);
});

test("what is forgotten counts as much as by the joint law of all reports", () => {
  assert.equal(forgetful.length, 40);
  for (const { table, redraw, waves, number } of forgetful) {
    const item = /** @type {Item} */ ({ permanent: table, redraw });
    assert.equal(inHundredBy(lossIfForgotten(item, waves)), number);
  }
});

test("a device that has nothing of an earlier wave says what then holds", () => {
  const kept = implication(panel()).join(" ");
  assert.match(kept, /later waves tell no more.*If your browser forgets between waves/);
  const found = sureness(panel(), { number: 2, late: false, isNew: true });
  const said = [...(found?.changes ?? []), ...(found?.inShort ?? [])].map(({ text }) => text);
  assert.doesNotMatch(said.join(" "), /tell no more|browser forgets/);
  const own = said.filter((text) => /earlier wave, in this or another browser: up to/.test(text));
  assert.equal(own.length, 2);
});

test("the three statements are said in 100", () => {
  const [one, all, changing] = threeCosts(0.788458, 1.098613, null);
  assert.match(one, /: 69\u00a0% sure at most$/);
  assert.match(all, /: 75\u00a0% sure at most$/);
  assert.match(changing, /no limit/);
});

test("what stands above Start is as loud as what it sums up", () => {
  for (const [changed, changing, isUnlimited, loudest] of /** @type {const} */ ([
    [75, 90, false, "calm"],
    [90, 99.5, false, "amber"],
    [99.5, 99.9, false, "red"],
    [75, 90, true, "red"],
  ])) {
    const waves = { changed, changing, isUnlimited, forgot: 75, forgotAll: 75, isNew: false };
    const full = ifTheyChange(waves).map(({ colour }) => colour);
    assert.equal(ifTheyChangeInShort(waves)[0].colour, loudest);
    assert.ok(full.includes(loudest));
  }
});
