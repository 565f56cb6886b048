/** The way on from an altered link takes along what stands behind its "#". */
// promise: check-number

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.addEventListener = () => {};
const { endOfLink } = await import("../../../../client/browser/page/onward.js");

for (const [link, end] of [
  ["/KVYTHNR?fbclid=1#a7b2&code=WORD", "#a7b2&code=WORD"],
  ["/KVYTHNR/%23a7b2&code=WORD", "#a7b2&code=WORD"],
  ["/KVYTHNR/%23a7b2?fbclid=1", "#a7b2?fbclid=1"],
  ["/KVYTHNR/?next=%23a7b2", "#a7b2"],
  ["/KVYTHNR/%23a7b2#lang=de", "#lang=de"],
  ["/kvythnr.", ""],
]) {
  test(`it is ${end || "empty"} of ${link}`, () =>
    assert.equal(endOfLink(new URL(link, "https://example.org")), end));
}
