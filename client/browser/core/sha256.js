/** SHA-256 (FIPS 180-4): browsers have none for pages that came by plain http. */

import { hex } from "./report.js";

/** @type {number[]} */
const primes = [];
for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);

/** The first 32 bits after the point; a double has 16 more. @param {number} power */
const rootsOfPrimes = (power) =>
  Uint32Array.from(primes, (prime) => (prime ** power % 1) * 2 ** 32);

/** @param {number} word @param {number[]} turns */
const mixed = (word, ...turns) =>
  turns.reduce((all, by) => all ^ ((word >>> by) | (word << (32 - by))), 0);

/** @param {string} text in UTF-8 @returns {string} hex digits */
export function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const length = 64 * Math.ceil((bytes.length + 9) / 64);
  const data = new DataView(new ArrayBuffer(length));
  new Uint8Array(data.buffer).set([...bytes, 128]);
  data.setUint32(length - 4, 8 * bytes.length);
  const constants = rootsOfPrimes(1 / 3);
  const hash = rootsOfPrimes(1 / 2).slice(0, 8);
  const words = new Int32Array(64);
  for (let start = 0; start < length; start += 64) {
    let state = [...hash];
    for (let t = 0; t < 64; t += 1) {
      const [a, b, c, d, e, f, g, h] = state;
      const [early, late] = [words[t - 15], words[t - 2]];
      words[t] =
        t < 16
          ? data.getInt32(start + 4 * t)
          : (mixed(late, 17, 19) ^ (late >>> 10)) +
            (mixed(early, 7, 18) ^ (early >>> 3)) +
            words[t - 7] +
            words[t - 16];
      const one = h + mixed(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + constants[t] + words[t];
      const two = mixed(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
      state = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
    }
    state.forEach((word, place) => (hash[place] += word));
  }
  return Array.from(hash, (word) => hex(word, 8)).join("");
}
