/**
 * The protocol document, and the promise in it, which this device checks before it asks anything.
 */

import { checkLinks } from "./about.js";
import { checkKeys } from "./admission.js";
import { checkDraws } from "./asking.js";
import { checkBranches } from "./branching.js";
import { checkWeights, epsilon, ROW_SUM, SLACK } from "./channel.js";
import { ownAnswers } from "./questions.js";
import { Refusal } from "./refusal.js";
import { checkStatements } from "./statement.js";
import { checkTogether } from "./together.js";
import { checkWaves } from "./waves.js";

/** Controls, and what turns the direction of a text: an answer could read otherwise than it is sent. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * Recompute every ε from the weights that this device would sample from, and compare it with what
 * the label says. A server that shows one law and has another sampled is found out here.
 *
 * Where only some are asked it is the dearest that must keep the promise: whatever is drawn.
 * @param {SurveyDocument} survey
 * @throws {Refusal} if something reveals more than is promised
 */
export function checkPromise(survey) {
  JSON.stringify(survey, (_key, value) => {
    if (typeof value === "string" && HIDDEN.test(value)) {
      throw new Refusal("its texts contain characters that cannot be seen");
    }
    return value;
  });
  /** @type {Map<string, number[]>} */
  const costs = new Map(survey.questions.map(({ id }) => [id, []]));
  for (const item of survey.items) {
    try {
      const cost = checkItem(survey, item);
      costs.get(item.question)?.push(cost);
    } catch (error) {
      throw new Refusal("“{question}”", { question: item.text }, error);
    }
  }
  if (drawsOf(survey).length > 0) checkDraws(survey);
  const { batch = 10 } = survey;
  if (!Number.isInteger(batch) || batch < 1) {
    throw new Refusal("it is not clear when the researchers see your report");
  }
  checkLinks(survey);
  if (survey.waves) checkWaves(survey);
  if (survey.token_keys || survey.publish !== undefined) checkKeys(survey);
  if (survey.questions.some(({ ask_if }) => ask_if)) checkBranches(survey);
  if (survey.together) checkTogether(survey, costs);
  const drawn = new Set(survey.ask?.questions);
  const cost = (/** @type {Question} */ { id, ask }) => dearest(costs.get(id) ?? [], ask);
  const always = survey.questions.filter(({ id }) => !drawn.has(id)).map(cost);
  const others = survey.questions.filter(({ id }) => drawn.has(id)).map(cost);
  const millionths = dearest(always) + dearest(others, survey.ask?.count);
  if (!(millionths <= Math.round(survey.epsilon * 1e6))) {
    throw new Refusal("the questions together reveal more than the survey promises");
  }
}

/**
 * What the dearest cost together, all of them if no number is given.
 * @param {number[]} costs
 * @param {number} [count]
 */
function dearest(costs, count) {
  const descending = [...costs].sort((one, other) => other - one);
  return descending.slice(0, count).reduce((sum, cost) => sum + cost, 0);
}

/** What it costs, in millionths. @param {SurveyDocument} survey @param {Item} item */
function checkItem(survey, item) {
  const { weights } = item;
  checkWeights(weights);
  const [question, another] = survey.questions.filter(({ id }) => id === item.question);
  if (!question || another) throw new Refusal("it does not belong to exactly one question");
  const { length } = item.truths;
  // Who could give an answer of which there is no row would send nothing, and so tell it.
  if (
    weights.length !== length ||
    weights[0].length !== item.reports.length ||
    !(ownAnswers(question) <= length)
  ) {
    throw new Refusal("the answers do not match the probabilities that randomise them");
  }
  if (question.statements) checkStatements(survey, question, item);
  if (question.protection === "direct") {
    if (!isIdentity(weights) || item.epsilon !== null || item.permanent)
      throw new Refusal("it says that answers are sent as you give them, but they are not");
    return 0;
  }
  // In waves it is the noisy answer that is kept which all reports ever are drawn from.
  const law = survey.waves ? (item.permanent ?? []) : weights;
  if (typeof item.epsilon !== "number" || !(epsilon(law) <= item.epsilon + SLACK)) {
    throw new Refusal("it would reveal more than is promised");
  }
  return Math.round(item.epsilon * 1e6);
}

/** @param {number[][]} weights */
function isIdentity(weights) {
  return weights.every((row, truth) => row[truth] === ROW_SUM && row.length === weights.length);
}

/** Where its items stand in a report. @param {SurveyDocument} survey @param {{id: string}} question */
export function placesOf(survey, { id }) {
  return survey.items.flatMap((item, place) => (item.question === id ? [place] : []));
}

/** What chance decides about what is asked: questions first. @param {SurveyDocument} survey */
export function drawsOf(survey) {
  /** @type {Draw[]} */
  const draws = [];
  if (survey.ask !== undefined) {
    const { count, questions } = survey.ask;
    const places = questions.map((id) => placesOf(survey, { id }));
    draws.push({ count, choices: questions, places });
  }
  for (const question of survey.questions) {
    if (question.ask === undefined) continue;
    const places = placesOf(survey, question);
    const choices = places.map((place) => survey.items[place].id);
    draws.push({ count: question.ask, choices, places: places.map((place) => [place]) });
  }
  return draws;
}
