/** What is said where this device asks only some of what there is. */

import { unitsOf } from "../core/protocol.js";
import { keepsNoise, offersYesNo } from "../core/questions.js";
import { say } from "./say.js";

/**
 * The same in one sentence, before all else.
 * @param {{count: number, questions: string[]}} ask
 * @param {SurveyDocument} survey
 */
export const whatIsPicked = ({ count, questions }, survey) =>
  isWhole(questions, survey)
    ? say("Chance picks {count} of {all} questions for you.", { count, all: questions.length })
    : say("Chance picks {count} of {all} parts of the questions for you.", {
        ...{ count, all: questions.length },
      });

/** Whether each of them is a question. @param {string[]} units @param {SurveyDocument} survey */
const isWhole = (units, survey) =>
  units.every((unit) => survey.questions.some(({ id }) => id === unit));

/** What the set tells that is drawn once for all waves. @param {SurveyDocument} survey */
const sameInWaves = (survey) =>
  keepsNoise(survey)
    ? [say("Later waves ask the same ones, so your reports may be seen to be one person’s.")]
    : [];

/**
 * That it asks some of the questions only.
 * @param {{count: number, questions: string[], chances?: number[]}} ask
 * @param {SurveyDocument} survey
 */
export function whatWasDrawn({ count, questions, chances }, survey) {
  const all = questions.length;
  return [
    isWhole(questions, survey)
      ? say(
          "Your browser chose {count} of {all} questions for you at random. Nobody else knows which ones until you send your report. The report shows which.",
          { count, all },
        )
      : say(
          "Your browser chose {count} of {all} parts of the questions for you at random. Nobody else knows which ones until you send your report. The report shows which.",
          { count, all },
        ),
    ...sameInWaves(survey),
    ...(chances ? [say("Some are chosen more often than others.")] : []),
    ...(unitsOf(survey).always.length > 0
      ? [say("Apart from those {all}, everyone is asked every question.", { all })]
      : []),
  ].join(" ");
}

/**
 * That it asks some of the options or rows of a question only.
 * @param {number} count
 * @param {SurveyDocument} survey
 * @param {Question} question
 */
export function whatWasDrawnOf(count, survey, question) {
  const all = survey.items.filter((item) => item.question === question.id).length;
  const drawn = offersYesNo(question)
    ? say("Your browser chose {count} of {all} options for you at random.", { count, all })
    : say("Your browser chose {count} of {all} rows for you at random.", { count, all });
  return [drawn, ...sameInWaves(survey)].join(" ");
}
