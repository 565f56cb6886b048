/** What a link says of the number of its survey, also as people and programs pass it on. */
// promise: check-number

import assert from "node:assert/strict";
import { test } from "node:test";

const digits = "a7b29b806efaa7dc";
globalThis.location = /** @type {any} */ ({ href: "https://example.org/" });
const { digitsIn } = await import("../../../../client/browser/page/changed.js");

for (const hash of [
  `#${digits}`,
  `#${digits.toUpperCase()}`,
  "#a7b2%209b80%206efa%20a7dc",
  "#a7b2+9b80+6efa+a7dc",
  "#a7b2-9b80-6efa-a7dc.",
  `#lang=de&${digits}`,
  `#${digits}&code=WORD-WORD`,
  `#${digits}&amp;code=WORD-WORD`,
  `#${digits}?fbclid=IwAR0_a&utm_source=x`,
  `#${digits})`,
  `#%E2%80%9C${digits}%E2%80%9D`,
  `#%23${digits}`,
]) {
  test(`the number is read in ${hash}`, () => assert.equal(digitsIn(hash, false), digits));
}

for (const hash of [
  "",
  "#",
  "#lang=de",
  "#code=WORD-WORD",
  "#lang=DE&amp;code=WORD",
  "#utm_source=x",
]) {
  test(`there is none in "${hash}"`, () => assert.equal(digitsIn(hash, false), ""));
}

for (const hash of [
  "#a7b29b80",
  `#${digits.slice(1)}`,
  `#${digits}g`,
  `#${"a".repeat(65)}`,
  "#%",
  "#top",
  "#lang=de&a7b2",
  `#${digits.replace("0", "O")}`,
]) {
  test(`it is said to be unreadable in ${hash}`, () =>
    assert.equal(digitsIn(hash, false), "unreadable"));
}

test("what a server may have put there is not taken for the link's", () => {
  for (const hash of [`#${digits}`, "#lang=de", "#"])
    assert.equal(digitsIn(hash, true), "unreadable");
});
