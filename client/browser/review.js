/** All answers, to be checked before anything is sent. */

import { none } from "./controls.js";
import { element } from "./dom.js";
import { disclosure } from "./panels.js";
import { say } from "./say.js";

/**
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 * @param {number[]} truths
 * @param {NoisyReport} report
 * @param {(entry: Entry) => void} change
 */
export function review(survey, entries, truths, report, change) {
  const rows = entries.map((entry) => {
    const { question, places, control, skipped } = entry;
    const items = places.map((place) => survey.items[place]);
    const answers = control
      ? inWords(entry, items, truthsAt(truths, places))
      : [say("What this device sent before is sent again.")];
    const link = element("button", { type: "button", class: "link" }, say("Change"));
    link.setAttribute(
      "aria-label",
      say("Change your answer: {question}", { question: question.text }),
    );
    link.addEventListener("click", () => change(entry));
    return element(
      "div",
      {},
      element("dt", {}, question.text),
      ...answers.map((text) => element("dd", {}, text)),
      ...(control && !skipped ? [element("dd", {}, link)] : []),
    );
  });
  return [
    element("h2", { tabindex: "-1" }, say("Check your answers before anything is sent")),
    element("p", {}, say("Only this page knows them. Nothing has left your browser yet.")),
    element("dl", { class: "review" }, ...rows),
    disclosure(survey, report),
  ];
}

/**
 * @param {number[]} truths
 * @param {number[]} places
 */
function truthsAt(truths, places) {
  return places.map((place) => truths[place]);
}

/**
 * @param {Entry} entry
 * @param {Item[]} items
 * @param {number[]} truths
 */
function inWords({ question: { type }, skipped }, items, truths) {
  const texts = items.map((item, index) => item.truths[truths[index]].text);
  if (type === "grid" && !skipped)
    return items.map(({ text }, index) => `${text}: ${texts[index]}`);
  if (type !== "many" || truths[0] > 1) return texts.slice(0, 1);
  const ticked = items.filter((_item, index) => truths[index] === 1).map(({ text }) => text);
  return ticked.length > 0 ? ticked : [none()];
}
