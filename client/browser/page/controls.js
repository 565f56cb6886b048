/**
 * The controls of each kind of question: what a person ticks or types, and the truths of its items.
 */

import { DECLINING } from "../core/questions.js";
import { chosen } from "./answers.js";
import { boxesControl } from "./boxes.js";
import { radioGroup, skipping } from "./choices.js";
import { gridControl } from "./grid.js";
import { numberControl } from "./number.js";
import { say } from "./say.js";
import { statementField } from "./statement.js";

/**
 * @param {Question} question
 * @param {Item[]} items whose truths are what can be answered
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
      return boxesControl(question, items, order);
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
  const texts = item.truths.map(({ code, text }) =>
    code === DECLINING.code ? skipping(question, text) : text,
  );
  const group = radioGroup(question.id, texts, order);
  const gap = () => ({ control: group.first, instruction: say("Choose an answer") });
  return { ...group, read: () => [chosen(group.value(), gap)] };
}
