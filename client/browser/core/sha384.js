/** SHA-384 (FIPS 180-4): browsers have none for pages that came by plain http. */

import { bytesOf } from "./report.js";

const MASK = 2n ** 64n - 1n;

/** The first 64 bits after the point of a root, found bit by bit. @param {number} of @param {number} power */
function rootBits(of, power) {
  const target = BigInt(of) << BigInt(64 * power);
  let root = 0n;
  for (let bit = 1n << 69n; bit > 0n; bit >>= 1n) {
    if ((root | bit) ** BigInt(power) <= target) root |= bit;
  }
  return root & MASK;
}

/** The first numbers that no other divides. @param {number} count */
function firstPrimes(count) {
  /** @type {number[]} */
  const found = [];
  for (let n = 2; found.length < count; n += 1)
    if (found.every((prime) => n % prime)) found.push(n);
  return found;
}

const PRIMES = firstPrimes(80);
const CUBE_ROOTS = PRIMES.map((prime) => rootBits(prime, 3));

/** @param {bigint} word @param {number} by */
const turn = (word, by) => (word >> BigInt(by)) | ((word << BigInt(64 - by)) & MASK);

/** @param {number[]} bytes @returns {number[]} 48 bytes */
export function sha384(bytes) {
  const hash = PRIMES.slice(8, 16).map((prime) => rootBits(prime, 2));
  const length = 128 * Math.ceil((bytes.length + 17) / 128);
  const data = new DataView(new ArrayBuffer(length));
  new Uint8Array(data.buffer).set([...bytes, 128]);
  data.setUint32(length - 4, 8 * bytes.length);
  for (let start = 0; start < length; start += 128) {
    /** @type {bigint[]} */
    const words = [];
    let state = [...hash];
    for (let t = 0; t < 80; t += 1) {
      const [a, b, c, d, e, f, g, h] = state;
      const [early, late] = [words[t - 15], words[t - 2]];
      words[t] =
        t < 16
          ? data.getBigUint64(start + 8 * t)
          : ((turn(late, 19) ^ turn(late, 61) ^ (late >> 6n)) +
              (turn(early, 1) ^ turn(early, 8) ^ (early >> 7n)) +
              words[t - 7] +
              words[t - 16]) &
            MASK;
      const mixed = turn(e, 14) ^ turn(e, 18) ^ turn(e, 41);
      const one = h + mixed + ((e & f) ^ (~e & g)) + CUBE_ROOTS[t] + words[t];
      const two = (turn(a, 28) ^ turn(a, 34) ^ turn(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
      state = [(one + two) & MASK, a, b, c, (d + one) & MASK, e, f, g];
    }
    state.forEach((word, place) => (hash[place] = (hash[place] + word) & MASK));
  }
  const digits = hash.map((word) => word.toString(16).padStart(16, "0")).join("");
  return bytesOf(digits.slice(0, 96));
}
