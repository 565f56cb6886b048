/**
 * The controls of each kind of question: what a person ticks or types, and the truths of its items.
 *
 * @import {Item, Question} from "./protocol.js"
 * @typedef {{
 *   element: HTMLElement,
 *   first: () => HTMLElement,
 *   read: () => number[],
 *   reset: () => void,
 * }} Control `first` is where a mistake is mended; `read` gives a truth for each item, or throws
 *   `Unanswered`
 */

import { radioGroup, tickBoxes } from "./choices.js";
import { element, forgetfulInput } from "./dom.js";

/** A question without an answer that can be sent; the message says what to do. */
export class Unanswered extends Error {}

/**
 * @param {Question} question
 * @param {Item[]} items
 * @returns {Control}
 */
export function controlFor(question, items) {
  switch (question.type) {
    case "single":
      return single(question, items);
    case "many":
      return many(question, items);
    case "number":
      return number(question, items);
    case "grid":
      return grid(question, items);
  }
}

/**
 * @param {Question} question
 * @param {Item[]} items
 * @returns {Control}
 */
function single(question, [item]) {
  const group = radioGroup(
    question.id,
    item.truths.map(({ text }) => text),
  );
  return {
    ...group,
    first: () => group.first,
    read: () => [chosen(group.value(), "Choose an answer")],
  };
}

/**
 * @param {Question} question
 * @param {Item[]} items
 * @returns {Control}
 */
function many(question, items) {
  const options = items.map(({ text }) => text);
  const alone = ["None of these", ...declining(question, items[0])];
  const boxes = tickBoxes(question.id, options, alone);
  const read = () => {
    const ticked = boxes.value();
    if (ticked.length === 0) throw new Unanswered("Tick all that apply, or “None of these”");
    const declined = ticked[0] === options.length + 1;
    return items.map((_item, place) => (declined ? 2 : Number(ticked.includes(place))));
  };
  return { ...boxes, first: () => boxes.first, read };
}

/**
 * @param {Question} question
 * @param {Item[]} items
 * @returns {Control}
 */
function number(question, [item]) {
  const levels = question.answers.map(({ text }) => text);
  const range = `from ${levels[0]} to ${levels.at(-1)}${stepOf(levels)}`;
  const id = `${question.id}-0`;
  const input = forgetfulInput("text", {
    id,
    inputmode: "decimal",
    "aria-describedby": `${id}-help`,
  });
  const boxes = tickBoxes(`${question.id}-decline`, [], declining(question, item));
  const declined = () => boxes.value().length > 0;
  input.addEventListener("input", boxes.reset);
  boxes.element.addEventListener("change", () => {
    if (declined()) input.value = "";
  });
  const read = () => {
    if (declined()) return [item.truths.length - 1];
    const typed = input.value.trim().replace(",", ".");
    const level = levels.findIndex(
      (text) => text === typed || (typed !== "" && Number(text) === Number(typed)),
    );
    return [chosen(level < 0 ? undefined : level, `Enter a number ${range}`)];
  };
  const reset = () => {
    input.value = "";
    boxes.reset();
  };
  const label = element("label", { for: id, id: `${id}-help`, class: "hint" }, `A number ${range}`);
  return {
    element: element("div", {}, label, input, boxes.element),
    first: () => input,
    read,
    reset,
  };
}

/**
 * @param {Question} question
 * @param {Item[]} items
 * @returns {Control}
 */
function grid(question, items) {
  const groups = items.map((item, place) =>
    radioGroup(
      `${question.id}-${place}`,
      item.truths.map(({ text }) => text),
    ),
  );
  const rows = groups.map((group, place) =>
    element("fieldset", { class: "row" }, element("legend", {}, items[place].text), group.element),
  );
  const missing = () => groups.findIndex((group) => group.value() === undefined);
  return {
    element: element("div", {}, ...rows),
    first: () => groups[Math.max(0, missing())].first,
    read: () =>
      groups.map((group, place) =>
        chosen(group.value(), `Choose an answer for “${items[place].text}”`),
      ),
    reset: () => groups.forEach((group) => group.reset()),
  };
}

/**
 * @param {number | undefined} value
 * @param {string} instruction
 */
function chosen(value, instruction) {
  if (value === undefined) throw new Unanswered(instruction);
  return value;
}

/**
 * The words for declining, the last truth of an item, if declining is offered.
 *
 * @param {Question} question
 * @param {Item} item
 */
function declining(question, item) {
  return question.prefer_not_to_say ? item.truths.slice(-1).map(({ text }) => text) : [];
}

/** @param {string[]} levels */
function stepOf(levels) {
  const step = Number(levels[1]) - Number(levels[0]);
  return step === 1 || Number.isNaN(step) ? "" : `, in steps of ${Number(step.toPrecision(6))}`;
}
