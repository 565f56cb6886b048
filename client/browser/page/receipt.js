/**
 * What follows when a report has arrived: what happens next, and the receipt.
 *
 * What the device must keep is a row of bytes without a word of any question. A receipt says in
 * words what was asked and sent, to whoever opens this browser: so it is kept only if that is wanted.
 */

import { element } from "./dom.js";
import { whatWavesKeep } from "./waves.js";
import { say } from "./say.js";
import { decode } from "./words.js";

/**
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 * @param {Memory} memory
 * @param {HTMLElement} [table] the report in words, where it is to be read
 * @returns {HTMLElement[]}
 */
export function thanks(survey, report, memory, table) {
  const lines = [
    say("Your report is counted with all the others."),
    ...(memory.works ? [survey.waves ? whatWavesKeep() : whatIsKept()] : []),
    say("You can close this page now."),
  ].map((line) => element("p", {}, line));
  const next = [element("h2", {}, say("What happens next")), ...lines];
  if (!table) return next;
  // The foot of the page, with the links to privacy and to what is remembered, will be far below.
  const links = document.querySelector("footer p")?.cloneNode(true) ?? "";
  return [
    ...next,
    element("div", { class: "ways" }, links),
    element("h2", {}, say("Your receipt")),
    ...ways(survey, report, memory, table),
  ];
}

const whatIsKept = () =>
  say(
    "This browser keeps what was sent, and not your answers to randomised questions. It sends the same if you come back. You can make it forget under “What this device remembers”.",
  );

/**
 * The ways to have the receipt later. Of a survey in waves this device forgets which report it sent.
 *
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 * @param {Memory} memory
 * @param {HTMLElement} table
 */
function ways(survey, report, memory, table) {
  // Some programs take a text without this mark for one in an older alphabet.
  const file = new Blob(["\ufeff", survey.title, "\n\n", table.innerText]);
  // The name says nothing of the survey: browsers keep a list of what was saved.
  const link = element(
    "a",
    { href: URL.createObjectURL(file), download: "receipt.txt" },
    say("Save a copy as a file"),
  );
  if (!memory.works || survey.waves) return [element("p", { class: "ways" }, link)];
  const kept = () => memory.notes(report).receipt;
  const button = element("button", { type: "button" });
  const settle = () => {
    button.dataset.receipt = kept() ? "kept" : "offered";
    button.textContent = kept()
      ? say("Remove the receipt from this device")
      : say("Keep this receipt on this device");
  };
  button.addEventListener("click", () => {
    memory.notes(report, { receipt: kept() ? undefined : decode(survey, report.answers) });
    settle();
  });
  settle();
  return [
    element("p", { class: "ways" }, button, "\u2003", link),
    element(
      "p",
      { class: "hint" },
      say("If you keep it here, anyone who uses this browser can read it."),
    ),
  ];
}
