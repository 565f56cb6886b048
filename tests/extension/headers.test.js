/** How the extension names headers; which ones are harmless says `test_known_headers.py`. */
import assert from "node:assert/strict";
import test from "node:test";

import { judgeHeaders, missingHeaders } from "../../extension/headers.js";

const KNOWN = {
  harmless: { via: "a|b", "referrer-policy": "no-referrer", etag: '(W/)?"(a1|b2)"' },
  always: ["referrer-policy"],
  telling: ["link"],
  tags: { "/client/main.js": "a1", "/client/words.js": "b2" },
};

test("a header is named once, in small letters, and each of two is judged", () => {
  const headers = ["Via", "VIA", "Link", "link", "X-New", "x-new"].map((name) => ({ name }));
  const found = { telling: ["via", "link"], unknown: ["x-new"], tags: [] };
  assert.deepEqual(judgeHeaders(headers, KNOWN, "/"), found);
  const two = ["a", "c"].map((value) => ({ name: "via", value }));
  assert.deepEqual(judgeHeaders(two, KNOWN, "/"), { telling: ["via"], unknown: [], tags: [] });
});

test("a value is known as a whole", () => {
  for (const value of ["ab", "xb", "a\nb", "a\n"])
    assert.deepEqual(judgeHeaders([{ name: "via", value }], KNOWN, "/").telling, ["via"]);
  assert.deepEqual(judgeHeaders([{ name: "via", value: "B" }], KNOWN, "/").telling, []);
});

test("a file has its own tag, and nothing else has one", () => {
  const of = (/** @type {string} */ value, /** @type {string} */ path) =>
    judgeHeaders([{ name: "ETag", value }], KNOWN, path);
  assert.deepEqual(of('"a1"', "/client/main.js"), { telling: [], unknown: [], tags: ["strong"] });
  assert.deepEqual(of('W/"a1"', "/client/main.js").tags, ["weak"]);
  for (const [value, path] of [
    ['"b2"', "/client/main.js"],
    ['"a1"', "/BCDFGHJ/"],
    ['"undefined"', "/"],
  ])
    assert.deepEqual(of(value, path).telling, ["etag"]);
});

test("what every page has is missed", () => {
  assert.deepEqual(missingHeaders([], KNOWN), ["referrer-policy (missing)"]);
  assert.deepEqual(missingHeaders([{ name: "Referrer-Policy", value: "x" }], KNOWN), []);
});
