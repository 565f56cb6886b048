/**
 * The parts of the page around the questions.
 */

import { checkNumber } from "./changed.js";
import { element, folded, inParagraphs, OWN, paragraph } from "./dom.js";
import { say } from "./say.js";
import { decode, whatItReveals } from "./words.js";

/**
 * "See the message, and what it tells". It comes after the answers, closed, and says that
 * chance is settled: whoever could change answers until the noise pleases would spoil the estimates.
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 */
export function disclosure(survey, report) {
  const settled = say(
    "The dice were rolled when you opened this page. Changing an answer does not roll them again, so change one only to correct it.",
  );
  return folded("leaves", say("See the message, and what it tells"), [
    element("p", { class: "settled" }, settled),
    reportInWords(survey, report),
    checkNumber(survey),
  ]);
}

/**
 * A report decoded into words, question by question, and what it does and does not reveal.
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 * @param {boolean} [sent] whether it has arrived
 */
export function reportInWords(survey, report, sent = false) {
  const name = sent ? say("What was sent") : say("What is sent");
  const lines = decode(survey, report).flatMap(({ asked, sent: words, share }) => [
    element("dt", {}, asked),
    labelledLine(name, element("strong", { ...OWN, class: "sent" }, words)),
    labelledLine(say("What it tells"), element("span", OWN, share)),
  ]);
  return element(
    "section",
    { class: "report" },
    element("dl", {}, ...lines),
    ...inParagraphs(whatItReveals(survey)),
    paragraph(
      say("This is the exact message. Its id is a random number, drawn when you opened the page:"),
    ),
    element("pre", { ...OWN, class: "wire", tabindex: "0" }, JSON.stringify(report)),
  );
}

/** @param {string} name @param {HTMLElement} value */
const labelledLine = (name, value) =>
  element("dd", {}, element("span", { class: "small" }, name), " ", value);
