/**
 * Why the answers are protected, before the first question. All numbers are computed from the
 * weights that this device samples from, not from what the server says of them.
 *
 */

import { ROW_SUM } from "../core/channel.js";
import { element } from "./dom.js";
import { hundredPeople, wayOfAnAnswer } from "./drawing.js";
import { say } from "./say.js";
import { cost, oddsFactor, WEAK } from "./words.js";

/** What can be thrown or drawn, and the number of ways in which it comes out. @type {[number, () => string][]} */
const CHANCES = [
  [2, () => say("It is like tossing a coin, which has 2 equally likely outcomes.")],
  [4, () => say("It is like tossing a coin twice, which has 4 equally likely outcomes.")],
  [6, () => say("It is like rolling a die, which has 6 equally likely outcomes.")],
  [8, () => say("It is like tossing a coin three times, which has 8 equally likely outcomes.")],
  [52, () => say("It is like drawing one of 52 cards, which has 52 equally likely outcomes.")],
];

/**
 * What somebody who sees everything that is stored could conclude, in plain odds.
 *
 * @param {SurveyDocument} survey
 */
export function implication(survey) {
  if (survey.items.every(({ epsilon }) => epsilon === null)) {
    return say(
      "Every answer in this survey is sent as you give it. Anyone who sees what is stored can read your answers.",
    );
  }
  const factor = oddsFactor(survey.epsilon);
  return survey.epsilon > WEAK
    ? say(
        "Someone might see everything that is stored and know which report is yours. They could guess a lot about your true answers, but could not be certain. At most, an even chance becomes odds of {factor} to 1.",
        { factor },
      )
    : say(
        "Someone might see everything that is stored and know which report is yours. Even then, they cannot be sure of your true answer to a randomised question. At most, an even chance becomes odds of {factor} to 1.",
        { factor },
      );
}

/**
 * The pictures, the coins and the label, to be opened by those who want to know.
 *
 * @param {SurveyDocument} survey
 * @param {WaveNotes} [waveNotes]
 * @returns {HTMLElement[]} nothing where nothing is randomised
 */
export function trustPanel(survey, waveNotes) {
  if (survey.items.every(({ epsilon }) => epsilon === null)) return [];
  const item = leastProtected(survey);
  return [
    element(
      "details",
      { class: "trust" },
      element("summary", {}, say("See how chance protects you")),
      ...(item === undefined ? [] : pictures(survey, item)),
      element("figure", {}, wayOfAnAnswer()),
      shortLabel(survey, waveNotes),
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
    element("p", {}, say("“{question}”", { question: question?.text ?? "" }) + part),
    element(
      "div",
      { class: "pair" },
      ...[0, 1].map((truth) => {
        const { count, words } = ofHundred(item, truth);
        return element("figure", {}, hundredPeople(count, words), caption(words));
      }),
    ),
    ...(question?.statements ? [] : coinLines(item)).map((text) => element("p", {}, text)),
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
  const words = say("Of 100 people whose true answer is “{truth}”, {count} send “{report}”.", {
    truth: item.truths[truth].text,
    count,
    report: item.reports[1].text,
  });
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
  for (const [ways, words] of CHANCES) {
    const [no, yes] = forced.map((weight) => Math.round((weight / ROW_SUM) * ways));
    // A coin that never decides anything is no protection: what is forced at all has its outcomes.
    const exact = [no, yes].every(
      (count, place) =>
        Math.abs((count * ROW_SUM) / ways - forced[place]) <= 1 && count > 0 === forced[place] > 0,
    );
    if (exact && no + yes > 0) {
      return [
        words(),
        say(
          "In {no} of them your browser sends “{first}”, and in {yes} it sends “{second}”, whatever is true. In the other {rest} it sends your true answer.",
          { no, first: reports[0].text, yes, second: reports[1].text, rest: ways - no - yes },
        ),
      ];
    }
  }
  return [];
}

/**
 * @param {SurveyDocument} survey
 * @param {WaveNotes} [waveNotes]
 */
function shortLabel(survey, waveNotes) {
  const costs = survey.questions
    .filter(({ protection }) => protection === "randomised")
    .map(({ id, text, ask }) => {
      const each = survey.items.flatMap((item) =>
        item.question === id ? [item.epsilon ?? 0] : [],
      );
      const dearest = each.sort((one, other) => other - one).slice(0, ask);
      return element(
        "li",
        {},
        say("{question} – {cost}", {
          question: text,
          cost: cost(dearest.reduce((sum, one) => sum + one, 0)),
        }),
      );
    });
  const totals = waveNotes?.costs ?? [
    say("All questions together – {cost}", { cost: cost(survey.epsilon) }),
  ];
  return element(
    "dl",
    {},
    ...definition(
      say("Who is covered"),
      say("Everything that one person answers here on one device."),
    ),
    ...definition(
      say("Where chance is added"),
      say("On your own device, before anything is sent."),
    ),
    ...definition(
      say("Largest factor by which this can change the odds of a guess about you"),
      element("ul", {}, ...costs, ...totals.map((text) => element("li", {}, text))),
    ),
    ...definition(
      say("If you come back"),
      waveNotes?.back ??
        say("No question is sent twice, so that nobody can average the chance away."),
    ),
    ...definition(
      say("Who could break it"),
      say(
        "The people who run this site, if they send you a different program. Anyone who controls your device.",
      ),
    ),
  );
}

/**
 * @param {string} term
 * @param {Node | string} text
 */
function definition(term, text) {
  return [element("dt", {}, term), element("dd", {}, text)];
}
