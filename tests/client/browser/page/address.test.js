/** A page begins only at the address that everybody has: another one could name who opens it. */
// promise: fingerprint

import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf } from "../../../../client/browser/core/address.js";
import { addressHere } from "../../../../client/browser/page/address.js";
import { freshDocument } from "../vectors.js";

const survey = freshDocument();
const address = addressOf(survey);

/** @param {string} path @param {string} [page] */
function here(path, page) {
  const { origin, href } = new URL(path, "https://example.org");
  Object.defineProperty(globalThis, "location", { value: { origin, href }, configurable: true });
  return addressHere(survey, page);
}

test("a page knows its address, whatever stands behind the hash mark", () => {
  assert.equal(here(`${address}#5a5a&lang=de`), address);
  assert.equal(here(`${address}board`, "board"), address);
});

for (const path of ["person-0017/", "?person-0017", "?", ";17", "/", "../", "board"]) {
  test(`it does not begin under ${path}`, () => {
    assert.throws(() => here(address + path), /not the one that everybody has/);
  });
}
