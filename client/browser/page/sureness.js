/** How sure somebody could get of an answer: of one question, and of all that is sent together. */

import { atMost, inHundreds, ratioOf, tierOf } from "./hundreds.js";
import { say } from "./say.js";
import { overWaves } from "./waves.js";

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
