/**
 * The protocol document, and the promise in it, which this device checks before it asks anything.
 */

import { checkKeys } from "./admission.js";
import { checkDraws, unitPlaces } from "./asking.js";
import { checkBranches } from "./branching.js";
import { checkWeights, epsilon, ROW_SUM, SLACK } from "./channel.js";
import { hasWordsOf, keepsNoise } from "./questions.js";
import { Refusal } from "./refusal.js";
import { checkShape } from "./shape.js";
import { checkStatements } from "./statement.js";
import { checkTogether, isDrawnWithAnother } from "./together.js";
import { checkWaves } from "./waves.js";

/**
 * Hold a document to its shape. Then recompute every ε from the weights that this device would sample from, and compare it with what
 * the label says. A server that shows one channel and has another sampled is found out here.
 *
 * Where only some are asked it is the dearest that must keep the promise: whatever is drawn.
 * @param {SurveyDocument} survey
 * @throws {Refusal} if something reveals more than is promised
 */
export function checkPromise(survey) {
  for (const one of [survey, ...(survey.earlier ?? [])]) checkShape(one);
  for (const item of survey.items) {
    try {
      checkItem(survey, item);
    } catch (error) {
      throw new Refusal("“{question}”", { question: item.text }, error);
    }
  }
  if (drawsOf(survey).length > 0) checkDraws(survey);
  if (survey.waves) checkWaves(survey);
  if (survey.token_keys) checkKeys(survey);
  if (survey.questions.some(({ ask_if }) => ask_if)) checkBranches(survey);
  if (survey.together) checkTogether(survey);
  if (survey.same_fact !== undefined) checkSameFact(survey.same_fact, survey.items);
  const cost = (/** @type {Item} */ item) => Math.round((item.epsilon ?? 0) * 1e6);
  const millionths = dearest(survey, cost, add);
  if (!(millionths <= Math.round(survey.epsilon * 1e6))) {
    throw new Refusal("the questions together reveal more than the survey promises");
  }
}

/**
 * Hold that one fact is asked by two questions or more, each of one protected answer.
 * @param {string[]} ids
 * @param {Item[]} items
 */
function checkSameFact(ids, items) {
  const of = (/** @type {string} */ id) => items.filter(({ question }) => question === id);
  const isOne = ids.every((id) => of(id).length === 1 && of(id)[0].epsilon !== null);
  if (!isOne || ids.length < 2 || new Set(ids).size < ids.length) {
    throw new Refusal("it is not clear which questions are about the same fact");
  }
}

/**
 * What the dearest that one person can be asked together costs.
 * @template Cost
 * @param {SurveyDocument} survey
 * @param {(item: Item) => Cost} cost
 * @param {(costs: Cost[], count?: number) => Cost} join what so many of the dearest cost together
 */
export function dearest(survey, cost, join) {
  const { units, count, always } = unitsOf(survey);
  // What is randomised as one answer has one cost, that of its first question.
  const apart = survey.questions.filter(
    ({ id }) => !(survey.together && isDrawnWithAnother(survey, id)),
  );
  const whole = (/** @type {number[]} */ places) =>
    join(
      apart.map((question) => {
        const own = placesOf(survey, question).filter((place) => places.includes(place));
        return join(
          own.map((place) => cost(survey.items[place])),
          question.ask,
        );
      }),
    );
  return join([whole(always), join(units.map(whole), count)]);
}

/** Add up the largest. @param {number[]} costs @param {number} [count] all if none is given */
export const add = (costs, count) =>
  [...costs]
    .sort((one, other) => other - one)
    .slice(0, count)
    .reduce((sum, one) => sum + one, 0);

/** The places of what is drawn together, and of what everybody is asked. @param {SurveyDocument} survey */
export function unitsOf(survey) {
  const { places: units = [], count = 0 } = survey.ask ? drawsOf(survey)[0] : {};
  const drawn = new Set(units.flat());
  return { units, count, always: [...survey.items.keys()].filter((place) => !drawn.has(place)) };
}

/** @param {SurveyDocument} survey @param {Item} item */
function checkItem(survey, item) {
  const { weights } = item;
  checkWeights(weights);
  const [question, another] = survey.questions.filter(({ id }) => id === item.question);
  if (!question || another) throw new Refusal("it does not belong to exactly one question");
  const { length } = item.truths;
  // Who could give an answer of which there is no row would send nothing, and so tell it; and words
  // that nobody reads would make it another question to this device.
  if (
    weights.length !== length ||
    weights[0].length !== item.reports.length ||
    !hasWordsOf(question, item)
  ) {
    throw new Refusal("the answers do not match the probabilities that randomise them");
  }
  // What is said below a question is said of its first item.
  const [first] = survey.items.filter((one) => one.question === question.id);
  const [law, same] = [item, first].map((one) => [
    one.weights,
    one.permanent,
    one.redraw,
    one.epsilon,
  ]);
  if (JSON.stringify(law) !== JSON.stringify(same)) {
    throw new Refusal("its answers are not all randomised in the same way");
  }
  if (question.statements) checkStatements(survey, question, item);
  if (question.protection === "direct") {
    if (!isIdentity(weights) || item.epsilon !== null || item.permanent)
      throw new Refusal("it says that answers are sent as you give them, but they are not");
    return;
  }
  // In waves all reports ever are drawn from what is kept; `checkTogether` holds a group to its first.
  const isPart = survey.together && isDrawnWithAnother(survey, item.question);
  const table = keepsNoise(survey) && !isPart ? (item.permanent ?? []) : weights;
  if (item.epsilon === null || !(epsilon(table) <= item.epsilon + SLACK)) {
    throw new Refusal("it would reveal more than is promised");
  }
}

/** @param {number[][]} weights */
function isIdentity(weights) {
  return weights.every((row, truth) => row[truth] === ROW_SUM && row.length === weights.length);
}

/** Where its items stand in a report. @param {SurveyDocument} survey @param {{id: string}} question */
export function placesOf(survey, { id }) {
  return survey.items.flatMap((item, place) => (item.question === id ? [place] : []));
}

/** What chance decides about what is asked: units first. @param {SurveyDocument} survey */
export function drawsOf(survey) {
  /** @type {Draw[]} */
  const draws = [];
  if (survey.ask !== undefined) {
    const { questions: choices, ...more } = survey.ask;
    draws.push({ ...more, choices, places: choices.map((id) => unitPlaces(survey, id)) });
  }
  for (const question of survey.questions) {
    if (question.ask === undefined) continue;
    const places = placesOf(survey, question);
    const choices = places.map((place) => survey.items[place].id);
    draws.push({ count: question.ask, choices, places: places.map((place) => [place]) });
  }
  return draws;
}
