/**
 * Groups of radio buttons and of tick boxes.
 *
 * Radio buttons usually exclude each other by sharing a `name`. Inputs of this page have none (with
 * a name, an answer could be sent by a form), so that the group does by itself what browsers do:
 * one ticked at a time, one stop for the Tab key, arrow keys to move.
 */

import { offered } from "../core/branching.js";
import { complete } from "../core/order.js";
import { element, forgetfulInput } from "./dom.js";
import { say } from "./say.js";

/** How far an arrow key moves. @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * @param {string} id starts the ids of its inputs
 * @param {string[]} texts
 * @param {number[]} [first] those that come first, in this order
 * @returns {Group<number | undefined>}
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
    ...inputs.map((input, place) => row(input, texts[order[place]])),
  );
  group.addEventListener("change", (event) => {
    settle(inputs.findIndex((input) => input === event.target));
  });
  group.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const place = inputs.findIndex((input) => input === event.target);
    if (step === undefined || place < 0) return;
    event.preventDefault();
    const next = (place + step + inputs.length) % inputs.length;
    inputs[next].focus();
    settle(next);
    inputs[next].dispatchEvent(new Event("change", { bubbles: true }));
  });
  return { element: group, first: inputs[0], value, reset: () => settle(undefined) };
}

/**
 * Tick boxes; those at the end named in `alone` untick all others, and are unticked by them. Who
 * pressed the first of them by mistake gets the others back.
 *
 * @param {string} id starts the ids of its inputs
 * @param {string[]} texts
 * @param {string[]} alone "None of these", and to decline
 * @param {number[]} [first] those that come first, in this order
 */
export function tickBoxes(id, texts, alone, first = []) {
  const all = [...texts, ...alone];
  const inputs = all.map((_text, place) => forgetfulInput("checkbox", { id: `${id}-${place}` }));
  const rows = complete(first, all).map((place) => row(inputs[place], all[place]));
  if (alone.length > 0) rows.splice(texts.length, 0, element("p", { class: "or" }, say("or")));
  const undo = element("button", { type: "button", class: "link", hidden: true });
  undo.textContent = say("Tick the others again");
  rows.push(element("p", { class: "undo", role: "status" }, undo));
  const group = element("div", { class: "choices" }, ...rows);
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
 * @param {HTMLInputElement} input
 * @param {string} text
 */
function row(input, text) {
  return element("div", { class: "choice" }, input, element("label", { for: input.id }, text));
}

/**
 * The words for declining, the last of what can be answered, if it is offered.
 *
 * @param {Question} question
 * @param {Item} item
 */
export function declining(question, item) {
  return question.prefer_not_to_say
    ? offered(question, item)
        .slice(-1)
        .map(({ text }) => text)
    : [];
}
