/**
 * The survey as it reads in the language that is spoken. Only what is read differs: ids, codes, channels
 * and the report are the same in every language, and so is all that leaves or stays on this device.
 */

import { offersYesNo, questionOf } from "../core/questions.js";
import { locale, say } from "./say.js";
import { replies } from "./statement.js";

/**
 * The adversary is a server whose translations hold more than texts, an ε say, or a protection: the
 * promise was checked without them, so that nothing but texts is taken from them.
 * @param {SurveyDocument} survey as it was sent, in its first language
 * @returns {SurveyDocument}
 */
export function inSpokenLanguage(survey) {
  const texts = survey.translations?.[locale()];
  const besides = { prefer_not_to_say: say("Skipped"), does_not_apply: say("Does not apply") };
  const fixed = { no: say("No"), yes: say("Yes"), ...besides };
  const questions = survey.questions.map((question) => {
    const own = ownIn(texts?.questions, question.id);
    const { text = question.text, hint = question.hint } = own ?? {};
    const answers = named(question.answers, own?.answers);
    const rows = named(question.rows, own?.rows);
    const read = { ...question, text, first: question.text, hint, answers, rows };
    const { statements } = question;
    return statements ? { ...read, statements: named(statements, own?.statements) } : read;
  });
  const items = survey.items.map((item) => {
    const question = questionOf({ questions }, item);
    if (question === undefined) return item;
    const { id, text, answers, rows } = question;
    const part = [...rows, ...answers].find(({ code }) => item.id === `${id}.${code}`);
    const own = Object.fromEntries(answers.map((answer) => [answer.code, answer.text]));
    const truths = named(item.truths, offersYesNo(question) ? fixed : { ...besides, ...own });
    const said = question.statements && replies();
    const reports =
      item.reports[0].code === item.truths[0].code && !said
        ? truths
        : item.reports.map(({ code }, place) => ({
            code,
            text: said?.[place] ?? say("Report {number}", { number: place + 1 }),
          }));
    return { ...item, text: part?.text ?? text, truths, reports };
  });
  const { title = survey.title, introduction = survey.introduction } = texts ?? {};
  return {
    ...survey,
    title,
    introduction,
    about: told(survey.about, texts?.about),
    questions,
    items,
  };
}

/**
 * What the survey says of itself: of its texts those that there are, and no link or number.
 * @param {About} [about]
 * @param {Record<string, string>} [texts] by the same names
 * @returns {About}
 */
function told(about = {}, texts = {}) {
  const names = [
    "organisation",
    "contact",
    "help",
    "complaints",
    "purpose",
    "consent",
    "approval",
    "results",
  ];
  const here = names.filter((name) => name in about && name in texts);
  return { ...about, ...Object.fromEntries(here.map((name) => [name, texts[name]])) };
}

/**
 * @param {Answer[]} answers
 * @param {Record<string, string>} [texts] by code
 */
function named(answers, texts = {}) {
  return answers.map(({ code, text }) => ({ code, text: ownIn(texts, code) ?? text }));
}

/**
 * What stands under a name, which could be one that every object has, such as "constructor".
 * @template Told
 * @param {Record<string, Told> | undefined} texts @param {string} name
 */
const ownIn = (texts, name) => (texts && Object.hasOwn(texts, name) ? texts[name] : undefined);
