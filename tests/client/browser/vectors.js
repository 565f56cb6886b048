/** The test vectors that the Python sampler reproduces too. */

import { readFileSync } from "node:fs";

/** @param {string} name */
const read = (name) =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"));

/**
 * @typedef {{name: string, weights: number[][] | null, k_ary: number[] | null,
 *   epsilon: number | null, words: number[], reports: Record<string, number[]>}} Case
 */

/** @type {(Case & {weights: number[][]})[]} */
export const samplers = read("samplers").map((/** @type {Case} */ entry) => ({
  ...entry,
  weights: entry.weights ?? kAry(/** @type {number[]} */ (entry.k_ary)),
}));

/** @type {{document: SurveyDocument,
 *   words: number[], truths: number[], answers: string}} */
export const survey = read("survey");

/** @type {{document: SurveyDocument,
 *   cases: {words: number[], truths: number[], answers: string | null}[]}} */
export const asking = read("asking");

/** @type {{document: SurveyDocument, cases:
 *   {given: (number | null)[], words: number[], truths: number[], answers: string}[]}} */
export const branching = read("branching");

/** A fresh copy of the document with branches, to spoil. */
export const freshBranching = () => structuredClone(branching.document);

/** A fresh copy of the document that asks a part of its questions, to spoil. */
export const freshAsking = () => structuredClone(asking.document);

/** A fresh copy of the document, to spoil. */
export const freshDocument = () => structuredClone(survey.document);

/** @param {number[]} parameters number of answers, weight of the truth, weight of each other one */
function kAry([k, own, other]) {
  return Array.from({ length: k }, (_row, truth) =>
    Array.from({ length: k }, (_column, report) => (report === truth ? own : other)),
  );
}
