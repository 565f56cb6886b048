/**
 * What the page says: sentences whose numbers are computed from the channels.
 */

import { ROW_SUM } from "../core/channel.js";
import { offersYesNo } from "../core/questions.js";
import { bytesOf, NOT_ASKED } from "../core/report.js";
import { inDigits, say } from "./say.js";

/** @param {"randomised" | "direct"} protection */
export const protectionMark = (protection) =>
  protection === "direct" ? say("Sent as you give it") : say("Chance decides what is sent");

/** Above this ε (odds of 148 to 1) chance hides little, and the page says so. */
export const WEAK = 5;

export const weakProtection = () =>
  say(
    "That is a large factor. Someone who has all your randomised answers can guess a lot from them.",
  );

/**
 * A report in words, a line for each item.
 *
 * @param {SurveyDocument} survey
 * @param {string} answers
 * @returns {Line[]}
 */
export function decode(survey, answers) {
  const bytes = bytesOf(answers);
  return survey.items.map((item, place) => {
    const question = survey.questions.find(({ id }) => id === item.question);
    const part = question?.text === item.text ? "" : ` – ${item.text}`;
    const line = {
      asked: `${question?.text ?? ""}${part}`,
      byte: answers.slice(2 * place, 2 * place + 2),
    };
    if (bytes[place] === NOT_ASKED) return { ...line, sent: say("Not asked"), share: "–" };
    const given =
      survey.waves && item.id === "wave"
        ? say("sent as it is: the number of this wave")
        : say("sent as you gave it");
    const share = item.epsilon === null ? given : shareOf(item, bytes[place]);
    return { ...line, sent: item.reports[bytes[place]].text, share };
  });
}

/**
 * That this device asks some of the questions only.
 *
 * @param {SurveyDocument} survey
 * @returns {string[]} paragraphs
 */
export function whatWasDrawn(survey) {
  if (survey.ask === undefined) return [];
  const { count, questions } = survey.ask;
  const all = questions.length;
  const rest = say("Apart from those {all}, everyone is asked every question.", { all });
  const drawn = say(
    "Your browser chose {count} of {all} questions for you at random. Nobody else knows which ones until you send your report. The report shows which.",
    { count, all },
  );
  return [survey.questions.length > all ? `${drawn} ${rest}` : drawn];
}

/**
 * That each report is shown as it comes, where it is not held back among others.
 *
 * @param {SurveyDocument} survey
 * @returns {string[]} paragraphs
 */
export const whenItIsSeen = ({ batch }) =>
  batch === 1
    ? [
        say(
          "The results page shows each report as soon as it arrives. So the researchers can learn when your report arrived.",
        ),
      ]
    : [];

/**
 * That this device asks some of the options or rows of a question only.
 *
 * @param {SurveyDocument} survey
 * @param {Question} question
 * @returns {string[]} paragraphs
 */
export function whatWasDrawnOf(survey, question) {
  if (question.ask === undefined) return [];
  const all = survey.items.filter((item) => item.question === question.id).length;
  const numbers = { count: question.ask, all };
  return [
    offersYesNo(question)
      ? say("Your browser chose {count} of {all} options for you at random.", numbers)
      : say("Your browser chose {count} of {all} rows for you at random.", numbers),
  ];
}

/**
 * How many of 100 people send this report, whatever their truth.
 *
 * @param {Item} item
 * @param {number} report
 */
function shareOf(item, report) {
  const shares = item.weights.map((row) => Math.round((100 * row[report]) / ROW_SUM));
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  return least === most
    ? say("{least} in 100", { least })
    : say("{least} to {most} in 100", { least, most });
}

/**
 * What a report does and does not reveal.
 *
 * @param {SurveyDocument} survey
 * @returns {string[]} paragraphs
 */
export function whatItReveals(survey) {
  const direct = survey.items.filter(({ epsilon }) => epsilon === null).length;
  const paragraphs = [];
  if (direct < survey.items.length) {
    paragraphs.push(
      say(
        "This does not say what your true answers to the randomised questions are. Your device mixed chance into each of them. People with other true answers send the same, as the last column shows. If something here does not match your answer, that is chance and not a mistake. You are not lying.",
      ),
      say(
        "It does reveal that someone took part. It also gives a hint: all your randomised answers together can change the odds of a guess about you by a factor of {factor} at most.",
        { factor: oddsFactor(survey.epsilon) },
      ),
    );
  }
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
  if (direct > (survey.waves ? 1 : 0)) {
    paragraphs.push(
      say("It does reveal your answers to the questions marked “{mark}”.", {
        mark: protectionMark("direct"),
      }),
    );
  }
  return paragraphs;
}

/**
 * The factor by which odds can change at most, and its ε.
 *
 * @param {number} epsilon
 */
export function cost(epsilon) {
  return say("{factor} (ε = {epsilon})", {
    factor: oddsFactor(epsilon),
    epsilon: inDigits(epsilon),
  });
}

/**
 * e^ε as people say it, rounded up: ε itself was rounded up by at most a millionth, which is undone
 * first, so that ln 3 is a factor of 3 and not of 3.1.
 *
 * @param {number} epsilon
 */
export function oddsFactor(epsilon) {
  const factor = Math.exp(epsilon - 1e-6);
  if (factor >= 1e6) return say("more than a million");
  return inDigits(factor < 10 ? Math.ceil(factor * 10) / 10 : Math.ceil(factor));
}
