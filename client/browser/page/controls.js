/**
 * The controls of each kind of question: what a person ticks or types, and the truths of its items.
 */

import { chosen } from "./answers.js";
import { boxesControl } from "./boxes.js";
import { radioGroup, toChoose } from "./choices.js";
import { gridControl } from "./grid.js";
import { numberControl } from "./number.js";
import { say } from "./say.js";
import { statementField } from "./statement.js";

/**
 * @param {string} name starts the ids of its elements
 * @param {Question} question
 * @param {Item[]} items whose truths are what can be answered
 * @param {number[]} [order] of its answers, options or rows
 * @returns {Control}
 */
export function controlFor(name, question, items, order = []) {
  switch (question.type) {
    case "single":
      return question.statements
        ? statementField(name, question, items[0], order[0])
        : single(name, question, items, order);
    case "many":
      return boxesControl(name, question, items, order);
    case "number":
      return numberControl(name, question, items);
    case "grid":
      return gridControl(name, question, items, order);
  }
}

/**
 * @param {string} name
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} order
 * @returns {Control}
 */
function single(name, question, [item], order) {
  const group = radioGroup(name, toChoose(question, item.truths), order);
  const gap = () => ({ control: group.first, instruction: say("Choose an answer") });
  return { ...group, read: () => [chosen(group.value(), gap)] };
}
