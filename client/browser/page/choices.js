/**
 * Groups of radio buttons.
 *
 * Radio buttons usually exclude each other by sharing a `name`. Inputs of this page have none (with
 * a name, an answer could be sent by a form), so that the group does by itself what browsers do:
 * one ticked at a time, one stop for the Tab key, arrow keys to move.
 */

import { complete } from "../core/order.js";
import { DECLINING } from "../core/questions.js";
import { element, forgetfulInput } from "./dom.js";
import { say } from "./say.js";

/** How far an arrow key moves. @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * @param {string} id starts the ids of its inputs
 * @param {string[]} texts
 * @param {number[]} [first] those that come first, in this order
 */
export function radioGroup(id, texts, first = []) {
  const order = complete(first, texts);
  const inputs = order.map((answer, place) =>
    forgetfulInput("radio", {
      id: `${id}-${answer}`,
      "aria-posinset": String(place + 1),
      "aria-setsize": String(texts.length),
    }),
  );
  const value = () => {
    const ticked = inputs.findIndex((input) => input.checked);
    return ticked < 0 ? undefined : order[ticked];
  };
  /** @param {number | undefined} ticked */
  const settle = (ticked) => {
    inputs.forEach((input, place) => {
      input.checked = place === ticked;
      input.tabIndex = place === (ticked ?? 0) ? 0 : -1;
    });
  };
  settle(undefined);
  const group = element(
    "div",
    { class: "choices" },
    ...inputs.map((input, place) => choiceRow(input, texts[order[place]])),
  );
  group.addEventListener("change", (event) => {
    settle(inputs.findIndex((input) => input === event.target));
  });
  group.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const place = inputs.findIndex((input) => input === event.target);
    // A digit chooses by its place, while the group has the focus.
    const next = step ? (place + step + inputs.length) % inputs.length : Number(event.key) - 1;
    if (place < 0 || !(next in inputs) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    inputs[next].focus();
    settle(next);
    inputs[next].dispatchEvent(new Event("change", { bubbles: true }));
  });
  return { element: group, first: inputs[0], value, reset: () => settle(undefined) };
}

/**
 * What there is to choose: the answer that skips says what is done. A survey's own has its own words.
 * @param {Question} question @param {Answer[]} truths
 */
export const toChoose = ({ prefer_not_to_say: skips }, truths) =>
  truths.map(({ code, text }) =>
    skips && code === DECLINING.code ? say("Skip this question") : text,
  );

/**
 * @param {HTMLInputElement} input
 * @param {string} text
 */
export function choiceRow(input, text) {
  return element("div", { class: "choice" }, input, element("label", { for: input.id }, text));
}
