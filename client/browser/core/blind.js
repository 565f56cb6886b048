/**
 * Blind signatures: RFC 9474, RSABSSA-SHA384-PSS-Randomized.
 *
 * The server signs a number by which chance has hidden the report's id, and this device takes the
 * hiding away. What is left is a signature under the id that everybody can check, and of which the
 * server cannot tell when it made it: each number that it signed could have hidden each id.
 */

import { Refusal } from "./refusal.js";
import { bytesOf, drawWords, hex, notWorking } from "./report.js";
import { sha384 } from "./sha384.js";

const HASH = 48;
const SALT = 48;
const PREFIX_BYTES = 32;

/** @param {string} digits */
const numberOf = (digits) => BigInt(`0x${digits}`);

/** @param {number[]} bytes */
const digitsOf = (bytes) => bytes.map((byte) => hex(byte, 2)).join("");

/** As long as the key. @param {bigint} number @param {string} key */
const padded = (number, key) => number.toString(16).padStart(key.length, "0");

/**
 * Whether this is a key as a document names it: 2048 bits, odd, and without a small factor.
 * @param {unknown} key
 * @returns {key is string}
 */
export function isKey(key) {
  if (typeof key !== "string" || !/^[89a-f][0-9a-f]{510}[13579bdf]$/.test(key)) return false;
  const modulus = numberOf(key);
  for (let small = 3n; small < 4096n; small += 2n) if (modulus % small === 0n) return false;
  return true;
}

/** The power of the public exponent, 2^16 + 1. @param {bigint} base @param {bigint} modulus */
function toExponent(base, modulus) {
  let power = base;
  for (let turn = 0; turn < 16; turn += 1) power = (power * power) % modulus;
  return (power * base) % modulus;
}

/** By Euclid; 0 if there is none. @param {bigint} value @param {bigint} modulus */
function inverseOf(value, modulus) {
  let [one, next, left, right] = [value, modulus, 1n, 0n];
  while (next > 0n) {
    const times = one / next;
    [one, next, left, right] = [next, one - times * next, right, left - times * right];
  }
  return one === 1n ? ((left % modulus) + modulus) % modulus : 0n;
}

/** Bytes under the mask that MGF1 makes of a seed. @param {number[]} body @param {number[]} seed */
function masked(body, seed) {
  const count = Math.ceil(body.length / HASH);
  const parts = Array.from({ length: count }, (_none, place) => sha384([...seed, 0, 0, 0, place]));
  const mask = parts.flat();
  return body.map((byte, place) => byte ^ mask[place]);
}

/**
 * EMSA-PSS (RFC 8017, 9.1.1) for keys of so many bytes.
 * @param {number[]} message @param {number[]} salt @param {number} length
 */
function encode(message, salt, length) {
  const inner = sha384([...new Array(8).fill(0), ...sha384(message), ...salt]);
  const body = [...new Array(length - SALT - HASH - 2).fill(0), 1, ...salt];
  const mixed = masked(body, inner);
  // One bit fewer than the key, so that the number is below it.
  mixed[0] &= 127;
  return numberOf(digitsOf([...mixed, ...inner, 0xbc]));
}

/**
 * Hide a message. A number that shares a factor with the key would still share it when hidden: all
 * is drawn anew until none does (RFC 9474, 4.2). Then what is signed is as likely to hide each other
 * message, even for somebody who knows the factors: what hides is uniform among the units.
 * @param {string} key in hex digits @param {number[]} message @param {Randomness} randomness
 */
export function blind(key, message, randomness) {
  // What hides has 16 bytes more than the key, so that its rest is uniform.
  const count = (PREFIX_BYTES + SALT + key.length / 2 + 16) / 4;
  const ends = [2 * PREFIX_BYTES, 2 * (PREFIX_BYTES + SALT)];
  for (let turn = 0; turn < 64; turn += 1) {
    const chance = Array.from(drawWords(randomness, count), (word) => hex(word, 8)).join("");
    const [prefix, salt] = [chance.slice(0, ends[0]), chance.slice(...ends)];
    const factor = numberOf(chance.slice(ends[1])) % numberOf(key);
    const hidden = hide(key, message, prefix, salt, factor);
    if (hidden) return hidden;
  }
  throw notWorking();
}

/**
 * Hide a message by this chance, or nothing if a number shares a factor with the key.
 * @param {string} key @param {number[]} message
 * @param {string} prefix @param {string} salt @param {bigint} factor
 * @returns {Hidden | undefined}
 */
export function hide(key, message, prefix, salt, factor) {
  const modulus = numberOf(key);
  const encoded = encode([...bytesOf(prefix), ...message], bytesOf(salt), key.length / 2);
  const blinded = (encoded * toExponent(factor, modulus)) % modulus;
  if (inverseOf(blinded, modulus) === 0n) return undefined;
  const inverse = padded(inverseOf(factor, modulus), key);
  return { prefix, blinded: padded(blinded, key), inverse };
}

/**
 * Take the hiding away.
 * @param {string} key @param {Hidden} hidden @param {string} signed
 * @returns {string} the token: the prefix, and the signature under it and the message
 * @throws {Refusal} if it is signed by another key: by that the server could tell whose it is
 */
export function unblind(key, { prefix, blinded, inverse }, signed) {
  const modulus = numberOf(key);
  const number = /^[0-9a-f]+$/.test(signed) ? numberOf(signed) : 0n;
  if (toExponent(number, modulus) !== numberOf(blinded)) {
    throw new Refusal("the server did not sign with the key of this survey");
  }
  return prefix + padded((number * numberOf(inverse)) % modulus, key);
}
