// promise: our-word
// A page loads itself anew once at most, and a code that was used leaves its address.

import assert from "node:assert/strict";
import { test } from "node:test";

import { hideCode } from "../../../../client/browser/page/invitation.js";
import { reloadOnce } from "../../../../client/browser/page/state.js";

/** @param {object} place @param {string} way how the page was opened */
function opened(place, way = "navigate") {
  Object.defineProperty(globalThis, "location", { value: place, configurable: true });
  const entry = { toJSON: () => ({ type: way }) };
  Object.defineProperty(globalThis, "performance", {
    value: { getEntriesByType: () => [entry] },
    configurable: true,
  });
}

test("a page that was loaded anew does not load itself anew", () => {
  let count = 0;
  const reload = () => (count += 1);
  opened({ reload });
  assert.equal(reloadOnce(), true);
  opened({ reload }, "reload");
  assert.equal(reloadOnce(), false);
  assert.equal(count, 1);
});

for (const [before, after] of Object.entries({
  "#code=BCDF-GHJK": "",
  "#a7b2&code=bcdf": "#a7b2",
  "#a7b2&code=BCDF&lang=de": "#a7b2&lang=de",
  "#code=BCDF&lang=de": "#lang=de",
})) {
  test(`once the token is there, ${before} becomes ${after || "nothing"}`, () => {
    /** @type {unknown[][]} */
    const replaced = [];
    const replaceState = (/** @type {unknown[]} */ ...what) => replaced.push(what);
    const value = { state: { depth: 2 }, replaceState };
    Object.defineProperty(globalThis, "history", { value, configurable: true });
    opened({ hash: before, pathname: "/BCDFGHJ/" });
    hideCode();
    assert.deepEqual(replaced, [[{ depth: 2 }, "", `/BCDFGHJ/${after}`]]);
    opened({ hash: after, pathname: "/BCDFGHJ/" });
    hideCode();
    assert.equal(replaced.length, 1);
  });
}
