/**
 * Why the answers are protected, before the first question. All numbers are computed from the
 * weights that this device samples from, not from what the server says of them.
 */

import { ROW_SUM } from "../core/channel.js";
import { isOfNumbers, questionOf } from "../core/questions.js";
import { say } from "./say.js";

/**
 * What can be thrown or drawn: in how many ways it comes out, and what it is like.
 * @type {[number, () => string][]}
 */
const CHANCES = [
  [2, () => say("It is like tossing a coin, which has 2 equally likely outcomes.")],
  [4, () => say("It is like tossing a coin twice, which has 4 equally likely outcomes.")],
  [6, () => say("It is like rolling a die, which has 6 equally likely outcomes.")],
  [8, () => say("It is like tossing a coin three times, which has 8 equally likely outcomes.")],
  [52, () => say("It is like drawing one of 52 cards, which has 52 equally likely outcomes.")],
];

/** @param {SurveyDocument} survey */
export const randomisedItems = ({ items }) => items.filter(({ epsilon }) => epsilon !== null);

/**
 * The item whose picture is shown: of those whose reports are named after answers the one that
 * chance protects least. A number only where there is nothing else: who sends one of many numbers
 * tells people little.
 * @param {SurveyDocument} survey
 * @returns {Item | undefined}
 */
export function leastProtected({ questions, items }) {
  const numbers = questions.filter(isOfNumbers).map(({ id }) => id);
  const named = items.filter((item) => item.epsilon !== null && isNamed(item));
  const inWords = named.filter(({ question }) => !numbers.includes(question));
  const shown = inWords.length > 0 ? inWords : named;
  const most = Math.max(...shown.map(({ epsilon }) => Number(epsilon)));
  return shown.find(({ epsilon }) => epsilon === most);
}

/** Whether its reports are answers, and no codes. @param {Item} item */
export const isNamed = ({ truths, reports }) => reports[0].code === truths[0].code;

/**
 * Of 100 people of one true answer, how many send the second.
 * @param {Item} item
 * @param {number} truth
 */
export function ofHundred(item, truth) {
  const count = Math.round((100 * item.weights[truth][1]) / ROW_SUM);
  const words = say("Of 100 people whose true answer is “{truth}”, {count} send “{report}”.", {
    truth: item.truths[truth].text,
    count,
    report: item.reports[1].text,
  });
  return { count, words };
}

/**
 * Of what is asked by a spinner, its statements.
 * @param {SurveyDocument} survey
 * @param {Item} item
 */
export const statementsOf = (survey, item) => questionOf(survey, item)?.statements;

/**
 * The coins that the browser's chance is like, where there are such.
 * @param {Item} item
 * @returns {string[]} two lines, or none
 */
export function coinLines(item) {
  const found = thrown(item);
  if (!found) return [];
  const { ways, no, yes, words } = found;
  const [{ text: first }, { text: second }] = item.reports;
  return [
    words(),
    say(
      "In {no} of them your browser sends “{first}”, and in {yes} it sends “{second}”, whatever is true. In the other {rest} it sends your true answer.",
      { no, first, yes, second, rest: ways - no - yes },
    ),
  ];
}

/** What comes out of so many ways exactly as often as the weights say. @param {Item} item */
export function thrown({ weights }) {
  if (weights.length !== 2 || weights[0].length !== 2) return undefined;
  const forced = [weights[1][0], weights[0][1]];
  for (const [ways, words] of CHANCES) {
    const [no, yes] = forced.map((weight) => Math.round((weight / ROW_SUM) * ways));
    // A coin that never decides anything is no protection: what is forced at all has its outcomes.
    const exact = [no, yes].every(
      (count, place) =>
        Math.abs((count * ROW_SUM) / ways - forced[place]) <= 1 && count > 0 === forced[place] > 0,
    );
    if (exact && no + yes > 0) return { ways, words, no, yes };
  }
  return undefined;
}
