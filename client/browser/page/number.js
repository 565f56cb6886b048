/**
 * A number: a button for each, or where there are many of them a field to type it in.
 *
 * A slider would be no better. It always stands somewhere, also where nobody put it, and a finger
 * that only wants to scroll moves it.
 */

import { chosen } from "./answers.js";
import { declining, tickBoxes } from "./boxes.js";
import { radioGroup } from "./choices.js";
import { clickable, element, forgetfulInput, OWN } from "./dom.js";
import { locale, say } from "./say.js";
import { meant, unitsIn, unmistakable } from "./typed.js";

/** How many numbers at most have a button each. */
const MOST_BUTTONS = 11;

/**
 * @param {string} name starts the ids of its elements
 * @param {Question} question
 * @param {Item[]} items
 * @returns {Control}
 */
export function numberControl(name, question, [item]) {
  const { text, hint, answers } = question;
  const levels = answers.map((answer) => answer.text);
  const field =
    levels.length > MOST_BUTTONS
      ? numberField(name, levels, `${text} ${hint}`)
      : numberButtons(name, levels);
  const boxes = tickBoxes(`${name}-decline`, [], declining(question, item));
  const declined = () => boxes.value().length > 0;
  for (const event of ["input", "change"]) field.element.addEventListener(event, boxes.reset);
  boxes.element.addEventListener("change", () => {
    if (declined()) field.reset();
  });
  return {
    element: element("div", {}, field.element, boxes.element),
    read: () => [declined() ? levels.length : chosen(field.value(), field.gap)],
    reset: () => {
      field.reset();
      boxes.reset();
    },
  };
}

/**
 * @param {string} id starts the ids of its inputs
 * @param {string[]} levels
 */
function numberButtons(id, levels) {
  const group = radioGroup(id, levels);
  const isLong = levels.some((text) => text.length > 5);
  group.element.classList.add("numbers", ...(isLong ? ["long"] : []));
  return { ...group, gap: () => ({ control: group.first, instruction: say("Choose an answer") }) };
}

/**
 * @param {string} id starts the ids of its inputs
 * @param {string[]} levels
 * @param {string} question and its hint: their words are no other unit than is asked for
 */
function numberField(id, levels, question) {
  const range = { least: levels[0], most: levels[levels.length - 1] };
  const units = unitsIn(question, range.most);
  const typed = forgetfulInput("text", {
    id: `${id}-0`,
    size: "10",
    // Some keyboards for numbers have no minus.
    inputmode: levels[0].startsWith("-") ? "text" : "decimal",
    "aria-describedby": `${id}-state`,
  });
  const state = element("p", { ...OWN, id: `${id}-state`, "aria-live": "polite" });
  const either = element("p", { ...OWN, class: "either" });
  const read = () => meant(typed.value, levels, locale(), units);
  const tell = (wrong = false) => {
    const isEmpty = typed.value.trim() === "";
    typed.setAttribute("aria-invalid", String(wrong && !isEmpty));
    state.className = wrong ? "error" : "answer";
    state.textContent = isEmpty ? "" : saying(read(), levels, range);
  };
  const settle = () => {
    tell();
    either.replaceChildren(...read().either.map((value) => meaning(typed, value)));
  };
  typed.addEventListener("input", settle);
  // Nothing comes or goes now: it would move what a finger is about to press.
  typed.addEventListener("change", () => {
    const { level, either: readings } = read();
    tell(level === undefined && readings.length === 0);
  });
  return {
    element: element(
      "div",
      { class: "number" },
      element("label", { for: typed.id }, say("Enter a number from {least} to {most}", range)),
      typed,
      state,
      either,
    ),
    value: () => read().level,
    gap: () => ({
      control: either.querySelector("button") ?? typed,
      instruction: saying(read(), levels, range),
      tells: read().either.length > 0,
    }),
    reset: () => {
      typed.value = "";
      settle();
    },
  };
}

/**
 * What is used of what was typed, or why nothing is.
 * @param {Meant} meaning
 * @param {string[]} levels
 * @param {{least: string, most: string}} range
 */
function saying({ level, rounded, either, outside }, levels, range) {
  if (level !== undefined) {
    const answer = levels[level];
    return rounded
      ? say("We use {answer}, the nearest number we can take", { answer })
      : say("Your answer: {answer}", { answer });
  }
  if (either.length > 0) {
    const [one, other] = either.map((value) => unmistakable(value, locale()));
    return say("Do you mean {one} or {other}?", { one, other });
  }
  return outside
    ? say("The number must be from {least} to {most}", range)
    : say("Enter a number from {least} to {most}", range);
}

/**
 * A button that types a number so that it has one reading.
 * @param {HTMLInputElement} typed
 * @param {number} value
 */
function meaning(typed, value) {
  const text = unmistakable(value, locale());
  return clickable({ class: "quiet" }, text, () => {
    typed.value = text;
    typed.focus();
    typed.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** What is learned of a survey that asks for protected numbers alone. */
export const theAverage = () => say("From everyone together we learn the average.");

/** How a number is sent, on the first screen. */
export const numberIsPicked = () =>
  say("Chance decides which number your device sends. Your real one only makes some more likely.");
