/**
 * What the page says: sentences whose numbers are computed from the channels.
 */

import { ROW_SUM } from "../core/channel.js";
import { isOfNumbers, questionOf } from "../core/questions.js";
import { bytesOf } from "../core/report.js";
import { say } from "./say.js";
import { whatIsSpun } from "./statement.js";
import { implication } from "./sureness.js";
import { waveSent } from "./waves.js";

export const directMark = () => say("Sent as you give it");

export const cannotBeWithdrawn = () =>
  say("We cannot delete your answers once they are sent, because nobody knows which are yours.");

/** Those that are sent: no others are asked. @param {Entry[]} entries */
export const sentOf = (entries) => entries.filter(({ field }) => field.dataset.state !== "kept");

/** @param {string} questions */
export const unchanged = (questions) => say("Sent unchanged: {questions}.", { questions });

/** @param {Entry[]} entries */
export const unprotected = (entries) =>
  sentOf(entries).filter(({ question }) => question.protection === "direct");

/** @param {Entry[]} entries */
export const namesOf = (entries) =>
  entries.map(({ question }) => say("“{question}”", { question: question.text })).join(", ");

/**
 * A report in words, a line for each item, and in waves one more. `answers` is the question that it
 * answers, if any.
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 * @returns {{asked: string, sent: string, share: string, answers?: Question}[]}
 */
export function decode(survey, report) {
  const bytes = bytesOf(report.answers);
  const lines = survey.items.map((item, place) => {
    const question = questionOf(survey, item);
    const part = question?.text === item.text ? "" : ` – ${item.text}`;
    const asked = `${question?.text ?? ""}${part}`;
    if (!(bytes[place] in item.reports)) return { asked, sent: say("Not asked"), share: "–" };
    const share =
      item.epsilon === null ? say("sent as you gave it") : whoSends(item, bytes[place], question);
    return { asked, sent: item.reports[bytes[place]].text, share, answers: question };
  });
  return survey.waves ? [...lines, waveSent(report)] : lines;
}

/**
 * That each report is shown as it comes, where it is not held back among others.
 * @param {SurveyDocument} survey
 * @returns {string[]} paragraphs
 */
export const whenItIsSeen = ({ batch }) =>
  batch === 1
    ? [
        say(
          "The results page shows what you send as soon as it arrives. So the researchers can learn when you sent it.",
        ),
      ]
    : [];

/**
 * Who sends this report most, and who least: the same words, whatever is true of this person.
 * @param {Item} item
 * @param {number} report
 * @param {Question | undefined} question
 */
function whoSends({ weights, truths, reports }, report, question) {
  const chances = weights.map((row) => row[report]);
  const [least, most] = [Math.min(...chances), Math.max(...chances)];
  if (question && isOfNumbers(question) && reports[0].code !== truths[0].code) {
    // The numbers of which it is more common than half-way between least and most.
    const often = question.answers.filter((_answer, at) => 2 * chances[at] > least + most);
    if (often.length > 1) {
      return say("most common if the answer is between {from} and {to}", {
        from: often[0].text,
        to: often[often.length - 1].text,
      });
    }
  }
  const of = (/** @type {number} */ chance) => ({
    count: Math.round((100 * chance) / ROW_SUM),
    truth: truths[chances.indexOf(chance)].text,
  });
  const [first, last] = [of(most), of(least)];
  return say(
    "{most} of 100 people whose answer is “{truth}” send this, and {least} of 100 whose answer is “{other}”",
    { most: first.count, truth: first.truth, least: last.count, other: last.truth },
  );
}

/**
 * What a report does and does not reveal.
 * @param {SurveyDocument} survey
 * @returns {string[]} paragraphs
 */
export function whatItReveals(survey) {
  const paragraphs = [];
  const spun = survey.questions.filter(({ statements }) => statements).map(({ id }) => id);
  if (spun.length > 0) paragraphs.push(whatIsSpun());
  if (survey.items.some(({ epsilon, question }) => epsilon !== null && !spun.includes(question))) {
    paragraphs.push(
      say(
        "This does not say what your true answers to the randomised questions are. Your device mixed chance into each of them. People with other true answers send the same, as you see above. If something here does not match your answer, that is chance and not a mistake. You are not lying.",
      ),
    );
  }
  paragraphs.push(
    [say("It does reveal that someone took part."), ...implication(survey)].join(" "),
  );
  const coded = survey.items.find(({ truths, reports }) => reports[0].code !== truths[0].code);
  if (coded !== undefined) {
    paragraphs.push(
      say(
        "“{code}” and the like are codes. Whatever is true, people can send any of them, some more often than others.",
        { code: coded.reports[0].text },
      ),
    );
  }
  if (survey.ask !== undefined || survey.questions.some(({ ask }) => ask !== undefined)) {
    paragraphs.push(
      say(
        "It does reveal what you were asked. Your device chose that at random before you answered.",
      ),
    );
  }
  return paragraphs;
}
