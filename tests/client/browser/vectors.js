/** The test vectors that the Python sampler reproduces too. */

import { readFileSync } from "node:fs";

/** @param {string} name */
const read = (name) =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"));

/**
 * A document as a device holds it, with the hash of its bytes.
 * @param {string} name
 */
const held = (name) => {
  const { document, revision, ...rest } = read(name);
  return { ...rest, document: { ...document, revision } };
};

/**
 * @typedef {{name: string, weights: number[][] | null, k_ary: number[] | null,
 *   epsilon: number | null, words: number[], reports: Record<string, number[]>}} Case
 */

/** @type {(Case & {weights: number[][]})[]} */
export const samplers = read("samplers").map((/** @type {Case} */ entry) => ({
  ...entry,
  weights: entry.weights ?? kAry(/** @type {number[]} */ (entry.k_ary)),
}));

/** @type {{document: SurveyDocument, written: string,
 *   words: number[], truths: number[], answers: string}} */
export const survey = held("survey");

/** @type {{document: SurveyDocument,
 *   cases: {words: number[], truths: number[], answers: string | null}[],
 *   draws: {count: number, chances: number[], before: number[], words: number[],
 *     chosen: number[][]}[]}} */
export const asking = held("asking");

/** @type {{document: SurveyDocument, direct: number[][], cases:
 *   {given: (number | null)[], words: number[], truths: number[], answers: string}[]}} */
export const branching = held("branching");

/** @type {{document: SurveyDocument, cells: number[][],
 *   cases: {words: number[], truths: number[], answers: string}[]}[]} */
export const together = read("together").surveys.map(
  (/** @type {{document: object, revision: string}} */ { document, revision, ...rest }) => ({
    ...rest,
    document: { ...document, revision },
  }),
);

/** @type {{name: string, document: SurveyDocument, one: number, all: number, guess: number,
 *   changing: number | null, tier: Tier, colours: Colour[], sentences: string[]}[]} */
export const surenesses = read("sureness");

/** @type {{tables: number[][][], ask: number, numbers: number[]}[]} */
export const enumerated = read("enumerated");

/** @type {{table: number[][], redraw: number, waves: number, number: number}[]} */
export const forgetful = read("forgetful");

/** @type {{name: string, fits: boolean, written: string, numbers: string[], revision: string,
 *   document: object, marks: string[]}[]} */
export const wordings = read("wordings");

/** One of RFC 9474: a key, a message and its blind signature. @type {Record<string, string>} */
export const signedBlind = read("blind");

/** @type {{factors: number[], key: string}[]} */
export const weakKeys = read("weak-keys");

/** A fresh copy of the document with branches, to spoil. */
export const freshBranching = () => structuredClone(branching.document);

/** A fresh copy of the document that asks a part of its questions, to spoil. */
export const freshAsking = () => structuredClone(asking.document);

/** A fresh copy of the document, to spoil. */
export const freshDocument = () => structuredClone(survey.document);

/** @param {bigint} base @param {bigint} power @param {bigint} modulus */
export function raised(base, power, modulus) {
  let found = 1n;
  for (const bit of power.toString(2)) {
    found = (found * found) % modulus;
    if (bit === "1") found = (found * base) % modulus;
  }
  return found;
}

/** @param {number[]} parameters number of answers, weight of the truth, weight of each other one */
function kAry([k, own, other]) {
  return Array.from({ length: k }, (_row, truth) =>
    Array.from({ length: k }, (_column, report) => (report === truth ? own : other)),
  );
}
