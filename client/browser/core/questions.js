/** What nearly all that depends on a question's type asks of it: as in deniable/survey/questions.py. */

/** Whether each of its options or rows is an item of its own. @param {Question} question */
export const hasSeveralItems = ({ type }) => type === "many" || type === "grid";

/** Whether each item is answered by yes or no: its answers are the options. @param {Question} question */
export const offersYesNo = ({ type }) => type === "many";

/** Whether a device keeps noise from wave to wave: the same people answer. @param {SurveyDocument} survey */
export const keepsNoise = ({ waves }) => waves !== undefined && waves.people !== "others";

/** Whether its answers are numbers. @param {Question} question */
export const isOfNumbers = ({ type }) => type === "number";

/** Which question an item is of. @param {{questions: Question[]}} survey @param {Item} item */
export const questionOf = ({ questions }, item) => questions.find(({ id }) => id === item.question);

/** Answers that read alike in every survey: in English, and as they are translated. */
export const FIXED = {
  prefer_not_to_say: ["Skipped", "تم تخطّيه", "Übersprungen", "Omitida", "Passée"],
  does_not_apply: ["Does not apply", "لا ينطبق", "Trifft nicht zu", "No procede", "Sans objet"],
};
/** The answer that skips a question: one of those that chance can send. */
export const DECLINING = { code: "prefer_not_to_say", text: FIXED.prefer_not_to_say[0] };
const SKIPPED = { code: "does_not_apply", text: FIXED.does_not_apply[0] };

/** @type {Answer[]} what is said of each option of several, the same in every survey */
const YES_NO = [
  { code: "no", text: "No" },
  { code: "yes", text: "Yes" },
];
const REPLIES = ["Not true of me", "True of me"];

/**
 * What can be true of each of its items. Controls show those of the first item, and send their places.
 * @param {Question} question
 */
function truthsOf(question) {
  const offered = [...(offersYesNo(question) ? YES_NO : question.answers)];
  if (question.prefer_not_to_say) offered.push(DECLINING);
  const isSaid = !question.ask_if || offered.some(({ code }) => code === SKIPPED.code);
  return isSaid ? offered : [...offered, SKIPPED];
}

/** Whether an item has the words that pages show of it. @param {Question} question @param {Item} item */
export function hasWordsOf(question, { id, text, truths, reports }) {
  const { answers, rows, statements } = question;
  const part = [...rows, ...answers].find(({ code }) => id === `${question.id}.${code}`);
  const isNamed = reports[0].code === truths[0]?.code;
  const named = reports.map(({ code, text: own }, at) => {
    const name = isNamed ? truths[at] : { code: `report_${at + 1}`, text: `Report ${at + 1}` };
    return name?.code === code && (statements ? REPLIES[at] : name.text) === own;
  });
  return (
    text === (part ?? question).text &&
    areSame(truths, truthsOf(question)) &&
    !named.includes(false)
  );
}

/** @param {Answer[]} some @param {Answer[]} others */
const areSame = (some, others) =>
  some.length === others.length &&
  some.every(({ code, text }, at) => code === others[at].code && text === others[at].text);
