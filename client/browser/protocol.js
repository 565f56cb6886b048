/**
 * The protocol document, and the promise in it, which this device checks before it asks anything.
 *
 * @typedef {{code: string, text: string}} Answer
 * @typedef {{
 *   id: string, text: string, hint: string, type: "single" | "many" | "number" | "grid",
 *   protection: "randomised" | "direct", prefer_not_to_say: boolean,
 *   answers: Answer[], rows: Answer[],
 * }} Question
 * @typedef {{
 *   id: string, question: string, text: string, truths: Answer[], reports: Answer[],
 *   epsilon: number | null, weights: number[][],
 * }} Item
 * @typedef {{
 *   survey: string, revision: string, title: string, introduction: string, epsilon: number,
 *   questions: Question[], items: Item[],
 * }} SurveyDocument
 */

import { checkWeights, epsilon, ROW_SUM } from "./channel.js";

/** Far above what `Math.log` can be wrong by, far below the millionths in which ε is printed. */
const SLACK = 1e-12;

/** A promise that does not hold: nothing may be asked. */
export class BrokenPromiseError extends Error {}

/**
 * Recompute every ε from the weights that this device would sample from, and compare it with what
 * the label says. A server that shows one law and has another sampled is found out here.
 *
 * @param {SurveyDocument} survey
 * @throws {BrokenPromiseError} if an item, or all of them together, reveal more than is promised
 */
export function checkPromise(survey) {
  let millionths = 0;
  for (const item of survey.items) {
    try {
      millionths += checkItem(survey, item);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new BrokenPromiseError(`“${item.text}”: ${reason}`);
    }
  }
  if (!(millionths <= Math.round(survey.epsilon * 1e6))) {
    throw new BrokenPromiseError("the questions together reveal more than the survey promises");
  }
}

/**
 * @param {SurveyDocument} survey
 * @param {Item} item
 * @returns {number} what it costs, in millionths
 */
function checkItem(survey, item) {
  const { weights } = item;
  checkWeights(weights);
  if (weights.length !== item.truths.length || weights[0].length !== item.reports.length) {
    throw new Error("the answers do not fit the law by which they are randomised");
  }
  const question = survey.questions.find(({ id }) => id === item.question);
  if (question === undefined) throw new Error("it belongs to no question");
  if (question.protection === "direct") {
    if (!isIdentity(weights)) throw new Error("it is said to be sent as you give it, but is not");
    return 0;
  }
  if (typeof item.epsilon !== "number" || !(epsilon(weights) <= item.epsilon + SLACK)) {
    throw new Error("it would reveal more than is promised");
  }
  return Math.round(item.epsilon * 1e6);
}

/** @param {number[][]} weights */
function isIdentity(weights) {
  return weights.every((row, truth) => row[truth] === ROW_SUM && row.length === weights.length);
}

/**
 * The items of a question, each with its place in the report.
 *
 * @param {SurveyDocument} survey
 * @param {Question} question
 * @returns {number[]}
 */
export function placesOf(survey, question) {
  return survey.items.flatMap((item, place) => (item.question === question.id ? [place] : []));
}
