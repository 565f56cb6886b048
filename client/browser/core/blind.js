/**
 * Blind signatures: RFC 9474, RSABSSA-SHA384-PSS-Randomized.
 *
 * The server signs a number by which chance has hidden the report's id, and this device takes the
 * hiding away. What is left is a signature under the id that everybody can check, and of which the
 * server cannot tell when it made it: each number that it signed could have hidden each id.
 */

import { Refusal } from "./refusal.js";
import { bytesOf, hex } from "./report.js";
import { sha384 } from "./sha384.js";

/** As a document names it: 2048 bits, and odd. */
export const PUBLIC_KEY = /^[89a-f][0-9a-f]{510}[13579bdf]$/;

const HASH = 48;
const SALT = 48;

/** Words of chance: of the prefix, of the salt, and of what hides; 16 bytes more than the number. */
const PREFIX_WORDS = 8;
const SALT_WORDS = 12;

/** @param {string} digits */
const numberOf = (digits) => BigInt(`0x${digits}`);

/** @param {number[]} bytes */
const digitsOf = (bytes) => bytes.map((byte) => hex(byte, 2)).join("");

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

/** The mask of so many bytes that MGF1 makes of a seed. @param {number[]} seed @param {number} length */
function maskOf(seed, length) {
  const count = Math.ceil(length / HASH);
  const parts = Array.from({ length: count }, (_none, place) => sha384([...seed, 0, 0, 0, place]));
  return parts.flat().slice(0, length);
}

/**
 * EMSA-PSS (RFC 8017, 9.1.1) for keys of whole bytes.
 * @param {number[]} message
 * @param {number[]} salt
 * @param {number} length bytes of the key
 */
function encode(message, salt, length) {
  const inner = sha384([...new Array(8).fill(0), ...sha384(message), ...salt]);
  const body = [...new Array(length - SALT - HASH - 2).fill(0), 1, ...salt];
  const mask = maskOf(inner, body.length);
  const mixed = body.map((byte, place) => byte ^ mask[place]);
  // One bit fewer than the key, so that the number is below it.
  mixed[0] &= 127;
  return numberOf(digitsOf([...mixed, ...inner, 0xbc]));
}

/**
 * Hide a message, with all the chance that this takes drawn at once.
 * @param {string} key in hex digits
 * @param {number[]} message
 * @param {Randomness} randomness
 * @returns {Hidden}
 */
export function blind(key, message, randomness) {
  const modulus = numberOf(key);
  const words = new Uint32Array(PREFIX_WORDS + SALT_WORDS + key.length / 8 + 4);
  randomness(words);
  const chance = Array.from(words, (word) => hex(word, 8)).join("");
  const ends = [8 * PREFIX_WORDS, 8 * (PREFIX_WORDS + SALT_WORDS)];
  const [prefix, salt] = [chance.slice(0, ends[0]), chance.slice(...ends)];
  return hide(key, message, prefix, salt, numberOf(chance.slice(ends[1])) % modulus);
}

/**
 * Hide a message by this chance.
 * @param {string} key
 * @param {number[]} message
 * @param {string} prefix
 * @param {string} salt
 * @param {bigint} factor
 * @returns {Hidden}
 */
export function hide(key, message, prefix, salt, factor) {
  const modulus = numberOf(key);
  const encoded = encode([...bytesOf(prefix), ...message], bytesOf(salt), key.length / 2);
  const inverse = inverseOf(factor, modulus);
  // Chance that is all zeros hides nothing.
  if (inverse === 0n) throw new Refusal("this browser’s random numbers are not working");
  const blinded = (encoded * toExponent(factor, modulus)) % modulus;
  const digits = (/** @type {bigint} */ number) => number.toString(16).padStart(key.length, "0");
  return { prefix, blinded: digits(blinded), inverse: digits(inverse) };
}

/**
 * Whether a signature is good under a message that the signer saw (EMSA-PSS-VERIFY: whatever salt it
 * says, encode with that and compare).
 * @param {string} key
 * @param {number[]} message
 * @param {string} signature in hex digits
 */
export function verifies(key, message, signature) {
  if (!/^[0-9a-f]+$/.test(signature) || signature.length !== key.length) return false;
  if (signature >= key) return false;
  const digits = toExponent(numberOf(signature), numberOf(key)).toString(16);
  const all = bytesOf(digits.padStart(key.length, "0"));
  const [body, inner] = [all.slice(0, -HASH - 1), all.slice(-HASH - 1, -1)];
  const mask = maskOf(inner, body.length);
  const salt = body.map((byte, place) => byte ^ mask[place]).slice(-SALT);
  return encode(message, salt, key.length / 2) === numberOf(digits);
}

/**
 * Take the hiding away.
 * @param {string} key
 * @param {Hidden} hidden
 * @param {string} signed
 * @returns {string} the token: the prefix, and the signature under it and the message
 * @throws {Refusal} if it is signed by another key: by that the server could tell whose it is
 */
export function unblind(key, { prefix, blinded, inverse }, signed) {
  const modulus = numberOf(key);
  const number = /^[0-9a-f]+$/.test(signed) ? numberOf(signed) : 0n;
  if (toExponent(number, modulus) !== numberOf(blinded)) {
    throw new Refusal("the server did not sign with the key of this survey");
  }
  const token = (number * numberOf(inverse)) % modulus;
  return prefix + token.toString(16).padStart(key.length, "0");
}
