/** A page begins only at the address that everybody has: another one could name who opens it. */
// promise: check-number

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { NoConnection } from "../../../../client/browser/core/refusal.js";
import { addressHere, addressOf } from "../../../../client/browser/page/address.js";
import { freshDocument } from "../vectors.js";

const survey = freshDocument();
const address = addressOf(survey);

/** @param {string} path */
function here(path) {
  const { origin, href, pathname } = new URL(path, "https://example.org");
  const value = { origin, href, pathname };
  Object.defineProperty(globalThis, "location", { value, configurable: true });
  return addressHere(survey);
}

test("a page knows its address, whatever stands behind the hash mark", () => {
  assert.equal(here(`${address}#5a5a&lang=de`), address);
});

for (const path of ["person-0017/", "?person-0017", "?", ";17", "/", "privacy"]) {
  test(`it does not begin under ${path}`, () => {
    assert.throws(() => here(address + path), /not the one that everybody has/);
  });
}

test("another survey's document came from somewhere else, and says nothing of this one", () => {
  for (const path of ["/", "/BCDFGHJ/", "/s/another/"]) {
    assert.throws(() => here(path), NoConnection);
  }
});

test("the addresses are those of Python", () => {
  const known = new URL("../../../vectors/addresses.json", import.meta.url);
  for (const { at, ...named } of JSON.parse(readFileSync(known, "utf-8"))) {
    assert.equal(addressOf(named), at);
  }
});
