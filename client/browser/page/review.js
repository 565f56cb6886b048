/**
 * All answers, to be checked before anything is sent. Somebody may look on: so no question and no
 * answer is on the page until they are asked for.
 */

import { hasSeveralItems, offersYesNo } from "../core/questions.js";
import { none } from "./boxes.js";
import { element, folded, OWN, paragraph, pressed } from "./dom.js";
import { sentUnasked, unfitting } from "./followup.js";
import { disclosure } from "./panels.js";
import { say } from "./say.js";
import { howRepliesAreSent } from "./statement.js";
import { cannotBeWithdrawn, directMark, namesOf, sentOf, unchanged, unprotected } from "./words.js";

/** More questions than these stand in groups. */
const UNGROUPED = 8;

/**
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 * @param {Reading} reading
 * @param {NoisyReport} report
 * @param {(entry: Entry) => void} change
 */
export function review(survey, entries, reading, report, change) {
  const answers = element("div");
  const button = element("button", { type: "button", class: "quiet" });
  const show = (/** @type {boolean} */ shown) => {
    button.textContent = shown ? say("Hide my answers") : say("Show or change my answers");
    answers.dataset.answers = shown ? "shown" : "hidden";
    const asked = entries.filter((entry) => !reading.skipped.has(entry));
    const rows = asked.map((entry) => rowOf(survey, entry, reading, change));
    answers.replaceChildren(...(shown ? inGroups(rows) : []));
  };
  // They stay shown in another language. Whoever comes here anew finds them hidden.
  show(document.querySelector("[data-answers=shown]") !== null);
  button.addEventListener("click", () => show(answers.dataset.answers === "hidden"));
  return [
    element("h2", { tabindex: "-1" }, say("Ready to send?")),
    element("p", { class: "mixed" }, howTheyAreSent(entries)),
    ...(survey.questions.some(({ ask_if }) => ask_if)
      ? [...sentUnasked(survey), ...unfitting(survey, entries, reading)]
      : []),
    button,
    answers,
    paragraph(say("Only this page knows your answers. None of them has left your browser yet.")),
    paragraph(cannotBeWithdrawn()),
    disclosure(survey, report),
  ];
}

/**
 * @param {SurveyDocument} survey
 * @param {Entry} entry
 * @param {Reading} reading
 * @param {(entry: Entry) => void} change
 */
function rowOf(survey, entry, { truths }, change) {
  const { question, places, control } = entry;
  const state = control ? "answered" : "kept";
  /** @type {(Node | string)[]} */
  const lines = question.protection === "direct" ? [mark()] : [];
  if (state === "kept") {
    lines.push(say("You have already answered this on this device. It is not sent again."));
  } else {
    const items = places.map((place) => survey.items[place]);
    const own = places.map((place) => truths[place]);
    const said = control?.said?.() ?? inWords(question, items, own);
    lines.push(...said.map((line) => element("span", OWN, line)));
    lines.push(changing(question, () => change(entry)));
  }
  return element(
    "div",
    { "data-question": question.id, "data-state": state },
    element("dt", {}, question.text),
    ...lines.map((line) => element("dd", {}, line)),
  );
}

const mark = () => element("span", { class: "mark direct" }, directMark());

/**
 * @param {Question} question
 * @param {() => void} change
 */
function changing({ text }, change) {
  const words = say("Change your answer: {question}", { question: text });
  const button = pressed("link", say("Change"), change);
  button.ariaLabel = words;
  return button;
}

/**
 * @param {HTMLElement[]} rows
 * @returns {HTMLElement[]} one list, or several
 */
function inGroups(rows) {
  const list = (/** @type {HTMLElement[]} */ part) => element("dl", { class: "review" }, ...part);
  if (rows.length <= UNGROUPED) return [list(rows)];
  const count = Math.ceil(rows.length / 6);
  const start = (/** @type {number} */ place) => Math.ceil((place * rows.length) / count);
  return Array.from({ length: count }, (_none, place) => {
    const [first, last] = [start(place), start(place + 1)];
    const words = say("Questions {first} to {last}", { first: first + 1, last });
    const group = folded("group", words, [list(rows.slice(first, last))]);
    group.open = true;
    return group;
  });
}

/**
 * How many are sent, mixed with chance, and which are not: the same whatever was answered.
 * @param {Entry[]} entries
 */
export function howTheyAreSent(entries) {
  const sent = sentOf(entries);
  const direct = unprotected(entries);
  const spun = sent.filter(({ question }) => question.statements).length;
  const mixed = sent.length - direct.length - spun;
  const all = sent.length;
  return [
    all === 1 ? say("One answer will be sent.") : say("{all} answers will be sent.", { all }),
    ...(mixed === all && all === 1 ? [say("Chance may change it.")] : []),
    ...(mixed === all && all > 1 ? [say("Chance may change each of them.")] : []),
    ...(mixed > 0 && mixed < all
      ? [say("Chance may change {mixed} of your {all} answers.", { mixed, all })]
      : []),
    ...(spun > 0 ? [howRepliesAreSent()] : []),
    ...(direct.length > 0 ? [unchanged(namesOf(direct))] : []),
  ].join(" ");
}

/**
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} truths
 */
function inWords(question, items, truths) {
  const texts = items.map((item, index) => item.truths[truths[index]].text);
  if (!hasSeveralItems(question)) return texts.slice(0, 1);
  if (!offersYesNo(question)) return items.map(({ text }, index) => `${text}: ${texts[index]}`);
  if (truths[0] > 1) return texts.slice(0, 1);
  const ticked = items.filter((_item, index) => truths[index] === 1).map(({ text }) => text);
  return ticked.length > 0 ? ticked : [none()];
}
