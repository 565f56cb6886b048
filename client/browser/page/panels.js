/**
 * The parts of the page around the questions.
 */

import { element } from "./dom.js";
import { fragment, say } from "./say.js";
import { implication, trustPanel } from "./trust.js";
import {
  decode,
  oddsFactor,
  WEAK,
  weakProtection,
  whatItReveals,
  whatWasDrawn,
  whenItIsSeen,
} from "./words.js";

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
    element("p", { class: "implication" }, implication(survey)),
    ...(randomised ? protectionText(survey) : []),
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

/**
 * @param {SurveyDocument} survey
 */
function protectionText(survey) {
  return [
    element(
      "p",
      {},
      say(
        "Your browser mixes chance into each randomised answer before it leaves this device. The server only gets the result.",
      ),
    ),
    element(
      "p",
      { class: "checked" },
      say(
        "This device has checked the promise: all your randomised answers together can change the odds of a guess about you by a factor of {factor} at most.",
        { factor: oddsFactor(survey.epsilon) },
      ),
    ),
    ...(survey.epsilon > WEAK ? [element("p", { class: "warning" }, weakProtection())] : []),
  ];
}

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
 * A report decoded into words beside its bytes, and what it does and does not reveal.
 *
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 */
export function reportTable(survey, report) {
  const head = [
    say("Question"),
    say("What is sent"),
    say("Byte"),
    say("How many in 100 people send this, whatever their true answer"),
  ];
  const lines = decode(survey, report.answers).map(({ asked, sent, byte, share }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, asked),
      element("td", { class: "sent", "data-label": head[1] }, sent),
      element("td", { "data-label": head[2] }, element("code", {}, byte)),
      element("td", { "data-label": head[3] }, share),
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
