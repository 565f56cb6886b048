/** The hash is that of everybody else: of FIPS 180-4's own examples, of Node, and of Python. */
// promise: revision

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { sha256 } from "../../../../client/browser/core/sha256.js";
import { survey } from "../vectors.js";

/** @param {string} text */
const bytes = (text) => new TextEncoder().encode(text);

test("the examples of the standard come out", () => {
  /** @type {[string, string][]} */
  const examples = [
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
    ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
  ];
  for (const [text, expected] of examples) assert.equal(sha256(bytes(text)), expected);
});

test("every length comes out, around each end of a block too", () => {
  for (let length = 0; length < 200; length += 1) {
    const some = Uint8Array.from({ length }, (_byte, place) => (place * 167 + length * 31) % 256);
    assert.equal(sha256(some), createHash("sha256").update(some).digest("hex"));
  }
});

test("a survey's revision is the same as in Python", () => {
  assert.equal(sha256(bytes(survey.written.split("\n")[0])), survey.document.revision);
});
