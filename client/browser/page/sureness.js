/**
 * How sure somebody could get of an answer: of one question, and of all that is sent together. Every
 * part of the page asks here. `deniable/text/wording.py` says the same, by the same test vectors.
 */

import { tableOf } from "../core/together.js";
import { add, unitsOf } from "../core/protocol.js";
import { atMost, inHundreds, ratioOf, tierOf } from "./odds.js";
import { say } from "./say.js";
import { aChangeShows, ifTheyChange, overWaves } from "./waves.js";

/**
 * Three sentences: how far the answers can be told, in which numbers, and what these mean. The first
 * follows the tier of all answers together, whatever changes.
 * @param {SurveyDocument} survey
 * @returns {Sureness | undefined} nothing where nothing is randomised
 */
export function sureness(survey) {
  if (survey.items.every(({ epsilon }) => epsilon === null)) return undefined;
  const { one, all } = inHundreds(survey, (item) =>
    ratioOf(
      (survey.waves && item.permanent) ?? (survey.together ? tableOf(survey, item) : item.weights),
    ),
  );
  const changing = survey.waves && Math.max(all, overWaves(survey));
  const unlimited = survey.waves?.changing === null;
  const tier = tierOf(changing ?? all);
  const scale = [
    ...(all > one
      ? [
          say("Before: 50 in 100. After one protected answer: {most}.", { most: atMost(one) }),
          say("After all {count}: {most}.", {
            count: protectedAnswers(survey),
            most: atMost(all),
          }),
        ]
      : [say("Before: 50 in 100. After your report: {most}.", { most: atMost(one) })]),
    ...(changing ? [ifTheyChange(unlimited ? undefined : changing)] : []),
  ];
  const together = tierOf(one) === tier ? "" : say("Taken together:");
  const sentences = [
    unlimited ? aChangeShows() : `${together} ${verdictOf(tier)}`.trim(),
    scale.join(" "),
    say("This is how sure someone can be that something is true of you."),
  ];
  return { tier, one, all, changing, sentences };
}

/** How many randomised questions one person answers at most. @param {SurveyDocument} survey */
function protectedAnswers(survey) {
  const { units, count, always } = unitsOf(survey);
  const questions = (/** @type {number[]} */ places) =>
    new Set(
      places.flatMap((at) =>
        survey.items[at].epsilon === null ? [] : [survey.items[at].question],
      ),
    ).size;
  return questions(always) + add(units.map(questions), count);
}

/** @param {Tier} tier */
const verdictOf = (tier) =>
  ({
    unsure: say("Protected answers are no proof."),
    hint: say("Protected answers give a hint of the truth."),
    often: say("Protected answers often show the truth."),
    always: say("Protected answers nearly always show the truth."),
  })[tier];

/**
 * What anybody could learn of the answers: first of one, then of all together.
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
  if (direct === 0) return found.sentences;
  return [
    ...found.sentences,
    say("Anyone who sees what is stored can read your answers to questions marked “{mark}”.", {
      mark: say("Sent as you give it"),
    }),
  ];
}
