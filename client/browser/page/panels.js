/**
 * The parts of the page around the questions.
 */

import { element, folded, OWN } from "./dom.js";
import { say } from "./say.js";
import { decode, whatItReveals } from "./words.js";

/**
 * "See exactly what will be sent". It comes after the answers, closed, and says that
 * chance is settled: whoever could change answers until the noise pleases would spoil the estimates.
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 */
export function disclosure(survey, report) {
  const settled = say(
    "The dice were rolled when you opened this page. Changing an answer does not roll them again, so change one only to correct it.",
  );
  return folded("leaves", say("See exactly what will be sent"), [
    element("p", { class: "settled" }, settled),
    reportTable(survey, report),
  ]);
}

/**
 * A report decoded into words, and what it does and does not reveal.
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 * @param {boolean} [sent] whether it has arrived
 */
export function reportTable(survey, report, sent = false) {
  const head = [
    say("Question"),
    sent ? say("What was sent") : say("What is sent"),
    say("What it tells"),
  ];
  const lines = decode(survey, report).map(({ asked, sent: words, share }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, asked),
      element("td", { ...OWN, class: "sent", "data-label": head[1] }, words),
      element("td", { ...OWN, "data-label": head[2] }, share),
    ),
  );
  return element(
    "section",
    { class: "report" },
    element(
      "table",
      { "aria-label": head[1] },
      element(
        "thead",
        {},
        element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text))),
      ),
      element("tbody", {}, ...lines),
    ),
    ...whatItReveals(survey).map((text) => element("p", {}, text)),
    element(
      "p",
      {},
      say("This is the exact message. Its id is a random number, drawn when you opened the page:"),
    ),
    element("pre", { ...OWN, class: "wire", tabindex: "0" }, JSON.stringify(report)),
  );
}
