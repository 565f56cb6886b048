/**
 * A question with several rows, each a group of radio buttons.
 *
 * Where there is room they stand below each other as in a table, the answers above them. Elsewhere
 * one row is open at a time: the next one opens when a row is answered, and a row that was answered
 * by pressing folds to its answer. The style alone decides which of both it is.
 */

import { complete } from "../core/order.js";
import { Unanswered } from "./answers.js";
import { radioGroup, toChoose } from "./choices.js";
import { element, hint, OWN } from "./dom.js";
import { markWrong } from "./errors.js";
import { say } from "./say.js";

/** How many columns a table has at most, and how many letters in a line above all of them. */
const MOST_COLUMNS = 7;
const MOST_LETTERS = 70;

/**
 * @param {string} name starts the ids of its elements
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} order of its rows
 * @returns {Control}
 */
export function gridControl(name, question, items, order) {
  const answers = toChoose(question, items[0].truths);
  const rows = items.map(({ text }, place) => gridRow(`${name}-${place}`, text, answers));
  const shown = complete(order, items).map((place) => rows[place]);
  const unanswered = (from = 0) =>
    shown.slice(from).filter(({ group }) => group.value() === undefined);
  const settle = () => {
    const [open] = unanswered();
    rows.forEach((row) => row.settle(row === open));
  };
  shown.forEach(({ field, group, change }, place) => {
    field.addEventListener("change", () => {
      markWrong(field);
      settle();
      // What had the focus was folded away.
      const [next] = unanswered(place);
      if (group.element.offsetHeight === 0) (next?.group.first ?? change).focus();
    });
  });
  settle();
  const heads = answers.map((text) => element("span", {}, text));
  return {
    element: element(
      "div",
      { class: fits(answers) && "matrix" },
      ...(rows.length > 1 ? [hint(say("After each answer, the next row opens."))] : []),
      // Each label says the same beside its button.
      element("div", { class: "heads", "aria-hidden": "true" }, ...heads),
      ...shown.map(({ field }) => field),
    ),
    read: () => {
      const gaps = unanswered().map(({ gap }) => gap);
      if (gaps.length > 0) throw new Unanswered(gaps);
      return rows.map(({ group }) => Number(group.value()));
    },
    reset: () => {
      rows.forEach(({ group }) => group.reset());
      settle();
    },
  };
}

/**
 * Whether the answers can stand beside each other above a table: words are not broken for it.
 * @param {string[]} answers
 */
export function fits(answers) {
  const letters = answers.flatMap((text) => text.split(/\s+/)).map((word) => [...word].length);
  const columns = answers.length;
  return columns <= MOST_COLUMNS && columns * (Math.max(...letters) + 1) <= MOST_LETTERS;
}

/**
 * @param {string} id starts the ids of its inputs
 * @param {string} text
 * @param {string[]} answers
 */
function gridRow(id, text, answers) {
  const group = radioGroup(id, answers);
  const answer = element("span", OWN);
  const change = element("button", { type: "button", class: "link" }, say("Change"));
  change.setAttribute("aria-label", say("Change your answer: {question}", { question: text }));
  const field = element(
    "fieldset",
    { class: "row", role: "radiogroup" },
    element("legend", {}, text),
    element("p", { class: "error", id: `${id}-error`, hidden: true }),
    element("p", { class: "folded" }, answer, " · ", change),
    group.element,
  );
  /** Arrow keys go through the answers, and choose each: a row stays open under them. */
  let isKept = false;
  field.addEventListener("keydown", () => (isKept = true), true);
  field.addEventListener("pointerdown", () => (isKept = false), true);
  const settle = (isNext = false) => {
    const value = group.value();
    answer.textContent = value === undefined ? "" : answers[value];
    field.classList.toggle("answered", value !== undefined && !isKept);
    field.classList.toggle("waiting", value === undefined && !isNext);
  };
  change.addEventListener("click", () => {
    field.classList.remove("answered");
    const ticked = group.element.querySelectorAll("input")[group.value() ?? 0];
    ticked.focus();
  });
  return {
    field,
    group,
    change,
    settle,
    gap: {
      control: group.first,
      instruction: say("Choose an answer for “{row}”", { row: text }),
      row: field,
    },
  };
}
