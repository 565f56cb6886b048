/**
 * Which questions apply after the answers so far, and what is true of those that do not.
 *
 * It is decided on the open page and nowhere else. Of a skipped item it is true that it does not
 * apply, and that is randomised by the word that was drawn for it when the page opened: neither the
 * bytes nor their number tell a question that was skipped from one that was answered.
 */

import { offersYesNo } from "./questions.js";

const CODE = "does_not_apply";

/** Which truth a skipped item has. @param {Item} item */
export const skippedTruth = ({ truths }) => truths.findIndex(({ code }) => code === CODE);

/**
 * What can be answered: that a question does not apply only where the researcher offers it.
 * @param {Question} question
 * @param {Item} item
 */
export function offered(question, { truths }) {
  const { ask_if, answers } = question;
  const own = !offersYesNo(question) && answers.some(({ code }) => code === CODE);
  return ask_if && !own ? truths.slice(0, -1) : truths;
}

/**
 * Whether a question applies. Of a question that was skipped there is no answer that it could need.
 * @param {Question} question
 * @param {(number | undefined)[]} given the truth of each item that was answered before
 */
export function applies({ ask_if = [] }, given) {
  return ask_if.every(({ item, answers }) => answers.some((answer) => answer === given[item]));
}
