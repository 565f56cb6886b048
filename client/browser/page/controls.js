/**
 * The controls of each kind of question: what a person ticks or types, and the truths of its items.
 */

import { offered } from "../core/branching.js";
import { chosen } from "./answers.js";
import { declining, radioGroup, tickBoxes } from "./choices.js";
import { gridControl } from "./grid.js";
import { numberControl } from "./number.js";
import { say } from "./say.js";

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
      return single(question, items, order);
    case "many":
      return many(question, items, order);
    case "number":
      return numberControl(question, items);
    case "grid":
      return gridControl(question, items, order);
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
  const gap = () => ({ control: group.first, instruction: say("Choose an answer") });
  return { ...group, read: () => [chosen(group.value(), gap)] };
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
  const gap = () => ({
    control: boxes.first,
    instruction: say("Tick all that apply, or “{none}”", { none: none() }),
  });
  const read = () => {
    const ticked = boxes.value();
    const declined = chosen(ticked[0], gap) === options.length + 1;
    return items.map((_item, place) => (declined ? 2 : Number(ticked.includes(place))));
  };
  return { ...boxes, read };
}
