/** What nearly all that depends on a question's type asks of it: as in deniable/survey/questions.py. */

/** Whether each of its options or rows is an item of its own. @param {Question} question */
export const hasSeveralItems = ({ type }) => type === "many" || type === "grid";

/** Whether each item is answered by yes or no: its answers are the options. @param {Question} question */
export const offersYesNo = ({ type }) => type === "many";

/** Whether its answers are numbers. @param {Question} question */
export const isOfNumbers = ({ type }) => type === "number";

/** How many answers its controls offer, whatever its items say. @param {Question} question */
export const ownAnswers = ({ type, answers, prefer_not_to_say }) =>
  (type === "many" ? 2 : type === "number" ? answers.length : 0) + (prefer_not_to_say ? 1 : 0);

/** @type {Record<string, string>} names of truths that are the same in every survey */
const FIXED = { no: "No", yes: "Yes", does_not_apply: "Does not apply" };

/** Whether an item has the words that pages show of it. @param {Question} question @param {Item} item */
export function hasWordsOf(question, { id, text, truths }) {
  const { answers, rows } = question;
  const part = [...rows, ...answers].find(({ code }) => id === `${question.id}.${code}`);
  const own = offersYesNo(question) ? [] : answers.map((answer) => [answer.code, answer.text]);
  const names = { ...FIXED, ...Object.fromEntries(own), prefer_not_to_say: "Prefer not to say" };
  return text === (part ?? question).text && truths.every((one) => one.text === names[one.code]);
}
