/**
 * How sure somebody could get of an answer: of one question, and of all that is sent together.
 *
 * Where one truth makes a report three times as likely as another, 50 in 100 become 75 at most. All
 * ratios are those of the integers that this device samples from, exactly, and numbers are rounded up.
 */

import { say } from "./say.js";
import { overWaves } from "./waves.js";

/** A quotient of two whole numbers; one by 0 has no bound. @typedef {[bigint, bigint]} Ratio */

/** Up to how many in 100 each of them is said. @type {[number, Tier][]} */
const TIERS = [
  [75, "unsure"],
  [90, "hint"],
  [95, "often"],
  [100, "always"],
];

/**
 * @param {SurveyDocument} survey
 * @returns {Sureness | undefined} nothing where nothing is randomised
 */
export function sureness(survey) {
  if (survey.items.every(({ epsilon }) => epsilon === null)) return undefined;
  const numbers = inHundreds(survey, (item) =>
    ratioOf((survey.waves && item.permanent) ?? item.weights),
  );
  if (survey.waves) return overWaves(survey, numbers);
  const { one, all } = numbers;
  const ofOne = {
    unsure: say("Nobody can be sure of your true answer to a question."),
    hint: say("Someone can get a hint of your true answer to a question."),
    often: say("Someone can often tell your true answer to a question."),
    always: say("Someone can nearly always tell your true answer to a question."),
  };
  const most = atMost(all);
  const ofAll = {
    unsure: say("Even with all your answers together, nobody can be sure: {most}.", { most }),
    hint: say("All your answers together give a hint: {most}.", { most }),
    often: say("Whoever puts all your answers together can often tell: {most}.", { most }),
    always: say("Whoever puts all your answers together can nearly always tell: {most}.", { most }),
  };
  const tier = tierOf(all);
  const sentences = [
    ofOne[tierOf(one)],
    say("Someone who thought it 50 in 100 likely can get to {most}.", { most: atMost(one) }),
    ...(all > one ? [ofAll[tier]] : []),
  ];
  return { tier, one, all, sentences };
}

/**
 * What anybody could learn of the answers: first of one, then of all together.
 *
 * @param {SurveyDocument} survey
 * @returns {string[]}
 */
export function implication(survey) {
  const found = sureness(survey);
  if (!found) {
    return [
      say(
        "Every answer in this survey is sent as you give it. Anyone who sees what is stored can read your answers.",
      ),
    ];
  }
  const direct = survey.items.filter(({ epsilon }) => epsilon === null).length;
  if (direct === (survey.waves ? 1 : 0)) return found.sentences;
  return [
    ...found.sentences,
    say("Anyone who sees what is stored can read your answers to questions marked “{mark}”.", {
      mark: say("Sent as you give it"),
    }),
  ];
}

/** @param {number} inHundred */
export const tierOf = (inHundred) => TIERS.find(([most]) => inHundred <= most)?.[1] ?? "always";

/** @param {number} inHundred */
export const atMost = (inHundred) =>
  inHundred < 100
    ? say("{count} in 100 at most", { count: inHundred })
    : say("more than 99 in 100");

/**
 * What 50 in 100 can become by an ε. It was rounded up by at most a millionth, which is undone first,
 * so that ln 3 is 75 and not 76.
 *
 * @param {number} epsilon
 */
export const mostBy = (epsilon) => atMost(Math.ceil(100 - 100 / (1 + Math.exp(epsilon - 1e-6))));

/**
 * What 50 in 100 can become, rounded up: 100 says that 99 is not the end.
 *
 * @param {Ratio} ratio
 */
export const inHundred = ([most, least]) =>
  Number((100n * most + most + least - 1n) / (most + least));

/**
 * The largest ratio between the chances of a report.
 *
 * @param {number[][]} weights
 * @returns {Ratio}
 */
export function ratioOf(weights) {
  /** @type {Ratio} */
  let largest = [1n, 1n];
  for (const report of weights[0].keys()) {
    const column = weights.map((row) => row[report]);
    /** @type {Ratio} */
    const ratio = [BigInt(Math.max(...column)), BigInt(Math.min(...column))];
    if (isAbove(ratio, largest)) largest = ratio;
  }
  return largest;
}

/**
 * Of the dearest question, and of the dearest that one person can be asked together.
 *
 * @param {SurveyDocument} survey
 * @param {(item: Item) => Ratio} law
 */
export function inHundreds({ questions, items, ask }, law) {
  const ratios = (/** @type {boolean} */ drawn) =>
    questions
      .filter(({ id }) => Boolean(ask?.questions.includes(id)) === drawn)
      .map(({ id, ask: count }) =>
        multiply(
          items.filter(({ question, epsilon }) => question === id && epsilon !== null).map(law),
          count,
        ),
      );
  const [always, drawn] = [ratios(false), ratios(true)];
  return {
    one: inHundred(multiply([...always, ...drawn], 1)),
    all: inHundred(multiply([...always, multiply(drawn, ask?.count)])),
  };
}

/**
 * What the largest of them are together: chance is drawn for each apart, so they multiply.
 *
 * @param {Ratio[]} ratios
 * @param {number} [count] all of them if none is given
 */
function multiply(ratios, count) {
  return [...ratios]
    .sort((one, other) => Number(isAbove(other, one)) - Number(isAbove(one, other)))
    .slice(0, count)
    .reduce(([most, least], [a, b]) => [most * a, least * b], [1n, 1n]);
}

/** @param {Ratio} one @param {Ratio} other */
const isAbove = ([a, b], [c, d]) => a * d > c * b;
