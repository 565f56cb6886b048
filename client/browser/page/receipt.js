/**
 * What follows when a report has arrived: what happens next, and the receipt.
 *
 * A receipt says in words what was asked and sent, and holds the id of the report: whoever has it
 * finds the report in the store. So it is a file that a person may save, and this device keeps none.
 */

import { element } from "./dom.js";
import { say } from "./say.js";
import { whatWavesKeep } from "./waves.js";

/**
 * @param {SurveyDocument} survey
 * @param {Memory} memory
 * @param {HTMLElement} [table] the report in words, where this page can tell them
 * @returns {HTMLElement[]}
 */
export function thanks(survey, memory, table) {
  const lines = [
    say("Your report is counted with all the others."),
    ...(memory.works ? [survey.waves ? whatWavesKeep() : whatIsKept()] : []),
    say("You can close this page now."),
  ].map((line) => element("p", {}, line));
  const next = [element("h2", {}, say("What happens next")), ...lines];
  if (!table) return next;
  // The foot of the page, with the links to privacy and to what is remembered, will be far below.
  const links = document.querySelector("footer p")?.cloneNode(true) ?? "";
  // Some programs take a text without this mark for one in an older alphabet.
  const file = new Blob(["\ufeff", survey.title, "\n\n", table.innerText]);
  // The name says nothing of the survey: browsers keep a list of what was saved.
  const link = element(
    "a",
    { href: URL.createObjectURL(file), download: "receipt.txt" },
    say("Save your receipt as a file"),
  );
  return [
    ...next,
    element("div", { class: "ways" }, links),
    element("h2", {}, say("Your receipt")),
    element("p", { class: "ways" }, link),
    element("p", { class: "hint" }, say("This browser does not keep it.")),
  ];
}

const whatIsKept = () =>
  say(
    "This browser remembers that you answered, and how much your reports can reveal. It keeps neither your answers nor what was sent. You can make it forget under “What this device remembers”.",
  );
