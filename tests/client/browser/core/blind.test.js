// promise: signing-keys
// Against the published vectors of RFC 9474 and Node's own SHA-384.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { blind, hide, isKey, unblind } from "../../../../client/browser/core/blind.js";
import { deviceRandomness } from "../../../../client/browser/core/chance.js";
import { bytesOf } from "../../../../client/browser/core/report.js";
import { sha384 } from "../../../../client/browser/core/sha384.js";
import { raised, signedBlind as vector, weakKeys } from "../vectors.js";

const modulus = BigInt(`0x${vector.n}`);

/** As the server signs. @param {string} blinded */
const sign = (blinded) =>
  raised(BigInt(`0x${blinded}`), BigInt(`0x${vector.d}`), modulus)
    .toString(16)
    .padStart(1024, "0");

test("SHA-384 is Node's, whatever the length", () => {
  for (const length of [0, 1, 55, 111, 112, 113, 127, 128, 129, 240, 300]) {
    const bytes = Array.from({ length }, (_none, place) => (place * 37 + length) % 256);
    const expected = createHash("sha384").update(Uint8Array.from(bytes)).digest("hex");
    assert.equal(Buffer.from(sha384(bytes)).toString("hex"), expected);
  }
});

test("the vector of RFC 9474 comes out, from the message to the signature", () => {
  const inverse = BigInt(`0x${vector.inv}`);
  // The vector names the inverse of what hides; its own inverse is what hides.
  let [one, next, left, right] = [inverse, modulus, 1n, 0n];
  while (next) {
    const times = one / next;
    [one, next, left, right] = [next, one - times * next, right, left - times * right];
  }
  const factor = ((left % modulus) + modulus) % modulus;
  const message = bytesOf(vector.msg);
  const hidden = hide(vector.n, message, vector.msg_prefix, vector.salt, factor) ?? assert.fail();
  assert.equal(hidden.blinded, vector.blinded_msg);
  assert.equal(hidden.inverse, vector.inv);
  assert.equal(unblind(vector.n, hidden, vector.blind_sig), vector.msg_prefix + vector.sig);
});

test("what was signed by another key, or not signed, makes no token", () => {
  const hidden = blind(vector.n, bytesOf("00ff".repeat(8)), deviceRandomness);
  const signed = sign(hidden.blinded);
  assert.equal(unblind(vector.n, hidden, signed).length, 64 + 1024);
  const last = signed.endsWith("0") ? "1" : "0";
  for (const wrong of [signed.slice(0, -1) + last, hidden.blinded, "00", "", "undefined", "-1"]) {
    assert.throws(() => unblind(vector.n, hidden, wrong), /did not sign with the key/);
  }
});

test("the same id is hidden otherwise each time, and chance that is none hides nothing", () => {
  const id = bytesOf("ab".repeat(16));
  const several = [1, 2, 3].map(() => blind(vector.n, id, deviceRandomness));
  for (const part of /** @type {const} */ (["prefix", "blinded", "inverse"])) {
    assert.equal(new Set(several.map((one) => one[part])).size, 3);
  }
  for (const word of [0, 1]) {
    const same = (/** @type {Uint32Array} */ words) => void words.fill(word);
    assert.throws(() => blind(vector.n, id, same), /random numbers are not working/);
  }
});

test("a key with a small factor is none, and what it hides shows no factor either", () => {
  for (const { factors, key } of weakKeys) {
    assert.equal(isKey(key), false, `${factors}`);
    for (let turn = 0; turn < 30; turn += 1) {
      const { blinded } = blind(key, bytesOf("ab".repeat(16)), deviceRandomness);
      const shown = factors.filter((factor) => BigInt(`0x${blinded}`) % BigInt(factor) === 0n);
      assert.deepEqual(shown, []);
    }
  }
});
