/**
 * The controls of each kind of question: what a person ticks or types, and the truths of its items.
 */

import { offered } from "../core/branching.js";
import { complete } from "../core/order.js";
import { Unanswered } from "./answers.js";
import { radioGroup, tickBoxes } from "./choices.js";
import { element } from "./dom.js";
import { numberField } from "./number.js";
import { say } from "./say.js";
import { statementField } from "./statement.js";

export const none = () => say("None of these");

/**
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} [order] of its answers, options or rows
 * @returns {Control}
 */
export function controlFor(question, items, order = []) {
  switch (question.type) {
    case "single":
      return question.statements
        ? statementField(question, items[0], order[0])
        : single(question, items, order);
    case "many":
      return many(question, items, order);
    case "number":
      return number(question, items);
    case "grid":
      return grid(question, items, order);
  }
}

/**
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} order
 * @returns {Control}
 */
function single(question, [item], order) {
  const group = radioGroup(
    question.id,
    offered(question, item).map(({ text }) => text),
    order,
  );
  return {
    ...group,
    first: () => group.first,
    read: () => [chosen(group.value(), say("Choose an answer"))],
  };
}

/**
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} order
 * @returns {Control}
 */
function many(question, items, order) {
  const options = items.map(({ text }) => text);
  const alone = [none(), ...declining(question, items[0])];
  const boxes = tickBoxes(question.id, options, alone, order);
  const read = () => {
    const ticked = boxes.value();
    if (ticked.length === 0)
      throw new Unanswered(say("Tick all that apply, or “{none}”", { none: none() }));
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
  const field = numberField(
    question.id,
    question.answers.map(({ text }) => text),
  );
  const boxes = tickBoxes(`${question.id}-decline`, [], declining(question, item));
  const declined = () => boxes.value().length > 0;
  field.element.addEventListener("input", boxes.reset);
  field.element.addEventListener("pointerup", () => {
    if (field.value() !== undefined) boxes.reset();
  });
  boxes.element.addEventListener("change", () => {
    if (declined()) field.reset();
  });
  const reset = () => {
    field.reset();
    boxes.reset();
  };
  return {
    element: element("div", {}, field.element, boxes.element),
    first: () => field.first,
    read: () => [declined() ? question.answers.length : chosen(field.value(), field.problem())],
    reset,
  };
}

/**
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} order
 * @returns {Control}
 */
function grid(question, items, order) {
  const groups = items.map((item, place) =>
    radioGroup(
      `${question.id}-${place}`,
      offered(question, item).map(({ text }) => text),
    ),
  );
  const rows = groups.map((group, place) =>
    element("fieldset", { class: "row" }, element("legend", {}, items[place].text), group.element),
  );
  const shown = complete(order, items);
  const missing = () => shown.find((place) => groups[place].value() === undefined);
  return {
    element: element("div", {}, ...shown.map((place) => rows[place])),
    first: () => groups[missing() ?? shown[0]].first,
    read: () => {
      const place = missing() ?? 0;
      const instruction = say("Choose an answer for “{row}”", { row: items[place].text });
      chosen(groups[place].value(), instruction);
      return groups.map((group) => chosen(group.value(), instruction));
    },
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
 * The words for declining, the last of what can be answered, if it is offered.
 *
 * @param {Question} question
 * @param {Item} item
 */
function declining(question, item) {
  return question.prefer_not_to_say
    ? offered(question, item)
        .slice(-1)
        .map(({ text }) => text)
    : [];
}
