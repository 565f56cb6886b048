/** Who is asked a follow-up: after a randomised answer everybody, as screens would tell it. */

import { drawsOf, placesOf } from "./protocol.js";
import { offersYesNo } from "./questions.js";
import { Refusal } from "./refusal.js";

const CODE = "does_not_apply";

/** Which truth a skipped item has. @param {Item} item */
export const skippedTruth = ({ truths }) => truths.findIndex(({ code }) => code === CODE);

/** Whether an answer decides who is asked. @param {SurveyDocument} survey @param {number} item */
export const decides = ({ branch, items }, item) =>
  branch === "hidden" || items[item].epsilon === null;

/** Whether all say if it applies. @param {SurveyDocument} survey @param {Question} question */
export const isShownToAll = (survey, { ask_if = [] }) =>
  ask_if.some(({ item }) => !decides(survey, item));

/**
 * What can be answered: that a question does not apply only where the researcher offers it.
 * @param {Question} question @param {Item} item
 */
export function offered(question, { truths }) {
  const own = !offersYesNo(question) && question.answers.some(({ code }) => code === CODE);
  return question.ask_if && !own ? truths.slice(0, -1) : truths;
}

/**
 * Whether a question is asked. Of a question that was skipped there is no answer that it could need.
 * @param {SurveyDocument} survey @param {Question} question
 * @param {(number | undefined)[]} given the truth of each item that was asked before, -1 without one
 */
export function applies(survey, { ask_if = [] }, given) {
  return ask_if.every(({ item, answers }) =>
    decides(survey, item)
      ? answers.some((answer) => answer === given[item])
      : given[item] !== undefined,
  );
}

/**
 * Refuse a question of which it cannot be told whether it applies, or would be told to others.
 * The adversary is a server that asks a question, to be sent as it is given, only of those who gave
 * a certain answer to a randomised one.
 * @param {SurveyDocument} survey
 */
export function checkBranches(survey) {
  const { questions, items, order } = survey;
  const drawn = drawsOf(survey).flatMap(({ places }) => places);
  const broken = questions.find(({ id, ask, ask_if, protection }, at) => {
    const before = questions.slice(0, at);
    const own = placesOf(survey, { id });
    return (
      ask_if &&
      (order ||
        ask !== undefined ||
        ask_if.some(({ item }) => {
          const needed = before.find((one) => one.id === items[item]?.question);
          const tells = protection === "direct" && needed?.protection !== "direct";
          const apart = drawn.some(
            (unit) => unit.includes(item) && !own.every((p) => unit.includes(p)),
          );
          return !needed || tells || apart;
        }))
    );
  });
  if (!broken) return;
  const { text: question } = broken;
  const sentence =
    "it is not clear who is asked “{question}”, or asking it would give an answer away";
  throw new Refusal(sentence, { question });
}
