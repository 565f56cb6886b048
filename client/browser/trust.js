/**
 * Why the answers are protected, before the first question. All numbers are computed from the
 * weights that this device samples from, not from what the server says of them.
 *
 */

import { ROW_SUM } from "./channel.js";
import { element } from "./dom.js";
import { hundredPeople, wayOfAnAnswer } from "./drawing.js";
import { oddsFactor, WEAK } from "./words.js";

/** What can be thrown or drawn, by the number of ways in which it comes out. */
const CHANCES = {
  2: "throwing a coin",
  4: "throwing a coin twice",
  6: "throwing a die",
  8: "throwing a coin three times",
  52: "drawing one of 52 cards",
};

const WAY =
  "Your answer stays on your device. Chance makes a report of it there. Only the report is sent " +
  "to the server, which keeps no name, address or time with it.";

/**
 * What somebody who sees everything that is stored could conclude, in plain odds.
 *
 * @param {SurveyDocument} survey
 */
export function implication(survey) {
  if (survey.items.every(({ epsilon }) => epsilon === null)) {
    return "Every question of this survey is sent as you give it: whoever sees what is stored can read your answers.";
  }
  const odds = `an even chance can become odds of ${oddsFactor(survey.epsilon)} to 1 at most.`;
  return survey.epsilon > WEAK
    ? `Somebody who sees everything that is stored, and knows which report is yours, can guess much about your true answers, though not be certain: ${odds}`
    : `Even somebody who sees everything that is stored, and knows which report is yours, cannot be sure of your true answer to a randomised question: ${odds}`;
}

/**
 * The pictures, the coins and the label, to be opened by those who want to know.
 *
 * @param {SurveyDocument} survey
 * @returns {HTMLElement[]} nothing where nothing is randomised
 */
export function trustPanel(survey) {
  if (survey.items.every(({ epsilon }) => epsilon === null)) return [];
  const item = leastProtected(survey);
  return [
    element(
      "details",
      { class: "trust" },
      element("summary", {}, "See how chance protects you"),
      ...(item === undefined ? [] : pictures(survey, item)),
      element("figure", {}, wayOfAnAnswer(WAY)),
      label(survey),
    ),
  ];
}

/**
 * The item whose picture is shown: of those whose reports are named after answers the one that
 * chance protects least, so that no other is worse than it looks.
 *
 * @param {SurveyDocument} survey
 * @returns {Item | undefined}
 */
export function leastProtected(survey) {
  const named = survey.items.filter(
    ({ epsilon, truths, reports }) => epsilon !== null && reports[0].code === truths[0].code,
  );
  const most = Math.max(...named.map(({ epsilon }) => Number(epsilon)));
  return named.find(({ epsilon }) => epsilon === most);
}

/**
 * @param {SurveyDocument} survey
 * @param {Item} item
 */
function pictures(survey, item) {
  const question = survey.questions.find(({ id }) => id === item.question);
  const part = question?.text === item.text ? "" : ` – ${item.text}`;
  return [
    element("p", {}, `“${question?.text ?? ""}”${part}`),
    element(
      "div",
      { class: "pair" },
      ...[0, 1].map((truth) => {
        const { count, words } = ofHundred(item, truth);
        return element("figure", {}, hundredPeople(count, words), caption(words));
      }),
    ),
    ...coinLines(item).map((text) => element("p", {}, text)),
  ];
}

/** @param {string} words */
function caption(words) {
  // Read out once already, as the picture's name.
  return element("figcaption", { "aria-hidden": "true" }, words);
}

/**
 * Of 100 people of one true answer, how many send the second.
 *
 * @param {Item} item
 * @param {number} truth
 */
export function ofHundred(item, truth) {
  const count = Math.round((100 * item.weights[truth][1]) / ROW_SUM);
  const words = `Of 100 people whose true answer is “${item.truths[truth].text}”, ${count} send “${item.reports[1].text}”.`;
  return { count, words };
}

/**
 * The coins that the browser's chance is like, where there are such.
 *
 * @param {Item} item
 * @returns {string[]} two lines, or none
 */
export function coinLines({ weights, reports }) {
  if (weights.length !== 2 || weights[0].length !== 2) return [];
  const forced = [weights[1][0], weights[0][1]];
  for (const [ways, name] of Object.entries(CHANCES)) {
    const [no, yes] = forced.map((weight) => Math.round((weight / ROW_SUM) * Number(ways)));
    const exact = [no, yes].every(
      (count, place) => Math.abs((count * ROW_SUM) / Number(ways) - forced[place]) <= 1,
    );
    if (exact) {
      return [
        `It is like ${name}, which can come out in ${ways} equally likely ways.`,
        `In ${no} of them your browser sends “${reports[0].text}” and in ${yes} “${reports[1].text}”, whatever is true; in the other ${Number(ways) - no - yes} it sends your answer.`,
      ];
    }
  }
  return [];
}

/** @param {SurveyDocument} survey */
function label(survey) {
  const costs = survey.questions
    .filter(({ protection }) => protection === "randomised")
    .map(({ id, text, ask }) => {
      const each = survey.items.flatMap((item) =>
        item.question === id ? [item.epsilon ?? 0] : [],
      );
      const dearest = each.sort((one, other) => other - one).slice(0, ask);
      return element("li", {}, `${text} – ${cost(dearest.reduce((sum, one) => sum + one, 0))}`);
    });
  const total = element("li", {}, `All together – ${cost(survey.epsilon)}`);
  return element(
    "dl",
    {},
    ...entry("Whose data", "Everything that one person answers here, from one device."),
    ...entry("Where chance is added", "On your own device, before anything is sent."),
    ...entry(
      "By what factor it can change anybody’s odds about you, at most",
      element("ul", {}, ...costs, total),
    ),
    ...entry(
      "If you come back",
      "The same report is sent again, so that chance cannot be averaged away.",
    ),
    ...entry(
      "Who could break it",
      "Whoever serves this page, by serving another program; and somebody who controls your device.",
    ),
  );
}

/** @param {number} epsilon */
function cost(epsilon) {
  return `${oddsFactor(epsilon)} (ε = ${Number(epsilon.toFixed(6))})`;
}

/**
 * @param {string} term
 * @param {Node | string} text
 */
function entry(term, text) {
  return [element("dt", {}, term), element("dd", {}, text)];
}
