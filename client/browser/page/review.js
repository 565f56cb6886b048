/** All answers, to be checked before anything is sent. */

import { hasSeveralItems, offersYesNo } from "../core/questions.js";
import { none } from "./controls.js";
import { element } from "./dom.js";
import { disclosure } from "./panels.js";
import { say } from "./say.js";

/**
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 * @param {Reading} reading
 * @param {NoisyReport} report
 * @param {(entry: Entry) => void} change
 */
export function review(survey, entries, { truths, skipped }, report, change) {
  const rows = entries.map((entry) => {
    const { question, places, control } = entry;
    const asked = !skipped.has(entry);
    const items = places.map((place) => survey.items[place]);
    const said = asked ? control?.said?.() : undefined;
    const answers = control
      ? (said ?? inWords(question, items, truthsAt(truths, places), asked))
      : [say("You have already answered this on this device. It is not sent again.")];
    const link = element("button", { type: "button", class: "link" }, say("Change"));
    link.setAttribute(
      "aria-label",
      say("Change your answer: {question}", { question: question.text }),
    );
    link.addEventListener("click", () => change(entry));
    return element(
      "div",
      {
        "data-question": question.id,
        "data-state": control ? (asked ? "answered" : "skipped") : "kept",
      },
      element("dt", {}, question.text),
      ...answers.map((text) => element("dd", {}, text)),
      ...(control && asked ? [element("dd", {}, link)] : []),
    );
  });
  return [
    element("h2", { tabindex: "-1" }, say("Check your answers before anything is sent")),
    element("p", {}, say("Only this page knows your answers. Nothing has left your browser yet.")),
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
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} truths
 * @param {boolean} asked
 */
function inWords(question, items, truths, asked) {
  const texts = items.map((item, index) => item.truths[truths[index]].text);
  if (!asked || !hasSeveralItems(question)) return texts.slice(0, 1);
  if (!offersYesNo(question)) return items.map(({ text }, index) => `${text}: ${texts[index]}`);
  if (truths[0] > 1) return texts.slice(0, 1);
  const ticked = items.filter((_item, index) => truths[index] === 1).map(({ text }) => text);
  return ticked.length > 0 ? ticked : [none()];
}
