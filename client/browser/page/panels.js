/**
 * The parts of the page around the questions.
 */

import { element } from "./dom.js";
import { fragment, say } from "./say.js";
import { implication, sureness } from "./sureness.js";
import { trustPanel } from "./trust.js";
import { decode, whatItReveals, whatWasDrawn, whenItIsSeen } from "./words.js";

/**
 * What protects the answers, before the first question: the implication first.
 *
 * @param {SurveyDocument} survey
 * @param {string} address
 * @param {boolean} remembers whether this browser lets the page remember the noise
 * @param {string[]} notes of what this person has reported before
 * @param {WaveNotes | undefined} waveNotes
 */
export function privacyNote(survey, address, remembers, notes, waveNotes) {
  const randomised = survey.items.some(({ epsilon }) => epsilon !== null);
  const note = element("section", { class: "panel", "aria-labelledby": "page-protection" });
  note.append(
    element("h2", { id: "page-protection", tabindex: "-1" }, say("What happens to your answers")),
    element(
      "p",
      { class: "implication", "data-tier": sureness(survey)?.tier ?? "" },
      implication(survey).join(" "),
    ),
    ...(randomised ? [protectionText()] : []),
    ...whatWasDrawn(survey).map((text) => element("p", { class: "drawn" }, text)),
    ...whenItIsSeen(survey).map((text) => element("p", { class: "warning" }, text)),
    ...(remembers ? [] : [element("p", { class: "warning" }, forgetful())]),
    ...[...notes, ...(waveNotes?.lines ?? [])].map((text) =>
      element("p", { class: "round" }, text),
    ),
    ...trustPanel(survey, waveNotes),
    element(
      "p",
      {},
      element(
        "a",
        { href: `${address}/privacy${fragment()}` },
        say("More about your privacy in this survey"),
      ),
    ),
  );
  return note;
}

const forgetful = () =>
  say(
    "This browser does not let the page remember what it sent. Answer only once. A second report would weaken your protection.",
  );

const protectionText = () =>
  element(
    "p",
    {},
    say(
      "Your browser mixes chance into each randomised answer before it leaves this device. The server only gets the result.",
    ),
  );

/**
 * "See exactly what will leave your browser". It comes after the answers, closed, and says that
 * chance is settled: whoever could change answers until the noise pleases would spoil the estimates.
 *
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 */
export function disclosure(survey, report) {
  return element(
    "details",
    {},
    element("summary", {}, say("See exactly what will leave your browser")),
    element(
      "p",
      { class: "settled" },
      say(
        "Your browser drew the chance when you opened this page. It draws nothing new when you change an answer. If you change an answer back, you get the same report. Only change an answer if it is not true.",
      ),
    ),
    reportTable(survey, report),
  );
}

/**
 * A report decoded into words, and what it does and does not reveal.
 *
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 */
export function reportTable(survey, report) {
  const head = [say("Question"), say("What is sent"), say("What it tells")];
  const lines = decode(survey, report.answers).map(({ asked, sent, share }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, asked),
      element("td", { class: "sent", "data-label": head[1] }, sent),
      element("td", { "data-label": head[2] }, share),
    ),
  );
  return element(
    "section",
    { class: "report" },
    element(
      "table",
      {},
      element("caption", {}, say("What leaves your browser")),
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
    element("pre", { class: "wire", tabindex: "0" }, JSON.stringify(report)),
  );
}

/**
 * A summary of what is missing, above the questions, with a link to each.
 *
 * @param {HTMLElement} summary
 * @param {Mistake[]} mistakes
 */
export function errorSummary(summary, mistakes) {
  const prefix = say("Error: ");
  if (document.title.startsWith(prefix)) document.title = document.title.slice(prefix.length);
  summary.hidden = mistakes.length === 0;
  if (mistakes.length === 0) return;
  document.title = prefix + document.title;
  const links = mistakes.map(({ control, entry, instruction }) => {
    const link = element(
      "a",
      { href: `#${control.id}` },
      say("{question} – {instruction}", { question: entry.question.text, instruction }),
    );
    link.addEventListener("click", (event) => {
      event.preventDefault();
      control.focus();
    });
    return element("li", {}, link);
  });
  summary.replaceChildren(
    element("h2", {}, say("There is a problem")),
    element("ul", {}, ...links),
  );
  summary.focus();
}
