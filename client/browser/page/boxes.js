/**
 * Tick boxes: of a question with several answers, to decline a number, and to agree.
 */

import { complete } from "../core/order.js";
import { chosen } from "./answers.js";
import { choiceRow, toChoose } from "./choices.js";
import { element, forgetfulInput } from "./dom.js";
import { say } from "./say.js";

export const none = () => say("None of these");

/**
 * Tick boxes; those at the end named in `alone` untick all others, and are unticked by them. Who
 * pressed the first of them by mistake gets the others back.
 * @param {string} id starts the ids of its inputs
 * @param {string[]} texts
 * @param {string[]} alone "None of these", and to decline
 * @param {number[]} [first] those that come first, in this order
 */
export function tickBoxes(id, texts, alone, first = []) {
  const all = [...texts, ...alone];
  const inputs = all.map((_text, place) => forgetfulInput("checkbox", { id: `${id}-${place}` }));
  const rows = complete(first, all).map((place) => choiceRow(inputs[place], all[place]));
  if (alone.length > 0) rows.splice(texts.length, 0, element("p", { class: "or" }, say("or")));
  const words = say("Tick the others again");
  const undo = element("button", { type: "button", class: "link", hidden: true }, words);
  const group = element(
    "div",
    { class: "choices" },
    ...rows,
    element("div", { role: "status" }, undo),
  );
  /** What was unticked is marked at its input: nothing but inputs holds an answer. */
  const settle = () => {
    undo.hidden = true;
    inputs.forEach((input) => delete input.dataset.unticked);
  };
  group.addEventListener("change", (event) => {
    settle();
    const changed = inputs.findIndex((input) => input === event.target);
    if (!inputs[changed]?.checked) return;
    inputs.forEach((input, place) => {
      const excludes = changed >= texts.length || place >= texts.length;
      if (place === changed || !excludes || !input.checked) return;
      input.checked = false;
      // Who declines may have somebody beside them: then nothing tells that there was more.
      if (place >= texts.length || changed > texts.length) return;
      input.dataset.unticked = "";
      undo.hidden = false;
    });
  });
  undo.addEventListener("click", () => {
    inputs.forEach((input) => (input.checked = "unticked" in input.dataset));
    inputs.find(({ checked }) => checked)?.focus();
    group.dispatchEvent(new Event("change", { bubbles: true }));
  });
  return {
    element: group,
    first: inputs[0],
    value: () => inputs.flatMap((input, place) => (input.checked ? [place] : [])),
    reset: () => {
      inputs.forEach((input) => (input.checked = false));
      settle();
    },
  };
}

/**
 * @param {string} name starts the ids of its elements
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} order
 * @returns {Control}
 */
export function boxesControl(name, question, items, order) {
  const options = items.map(({ text }) => text);
  const alone = [none(), ...declining(question, items[0])];
  const boxes = tickBoxes(name, options, alone, order);
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

/**
 * The words for declining, the last of what can be answered, if it is offered.
 * @param {Question} question
 * @param {Item} item
 */
export function declining(question, item) {
  return question.prefer_not_to_say ? toChoose(question, item.truths.slice(-1)) : [];
}
