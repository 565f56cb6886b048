/**
 * A number: a slider and a typed field that always hold the same value.
 *
 * A slider always stands somewhere. Until somebody moves it or types, that is no answer, and the
 * page says so: what nobody chose must not count as chosen.
 */

import { element, forgetfulInput } from "./dom.js";
import { say } from "./say.js";

/**
 * @param {string} id starts the ids of its inputs
 * @param {string[]} levels
 */
export function numberField(id, levels) {
  const slider = forgetfulInput("range", {
    id: `${id}-slider`,
    max: String(levels.length - 1),
  });
  const typed = forgetfulInput("text", {
    id: `${id}-0`,
    inputmode: "decimal",
    "aria-describedby": `${id}-state`,
  });
  const state = element("p", { id: `${id}-state`, "aria-live": "polite" });
  const value = () => levelOf(levels, typed.value);
  const problem = () => problemWith(levels, typed.value);
  // Always in the same place: a line that came in above the button would move it away from the
  // finger that is about to press it.
  const tell = (/** @type {string} */ what, wrong = false) => {
    state.textContent = what;
    state.className = wrong ? "error" : "hint";
    typed.setAttribute("aria-invalid", String(wrong));
  };
  /** Let the slider, and what is said of it, follow what is typed. */
  const settle = () => {
    const level = value();
    const answer = level === undefined ? undefined : levels[level];
    slider.value = String(level ?? Math.floor((levels.length - 1) / 2));
    slider.classList.toggle("unset", level === undefined);
    slider.setAttribute("aria-valuetext", answer ?? say("not answered"));
    tell(answer === undefined ? say("Not answered yet") : say("Your answer: {answer}", { answer }));
  };
  const move = () => {
    typed.value = levels[Number(slider.value)];
    settle();
  };
  slider.addEventListener("input", move);
  // To press it where it stands already moves nothing, but chooses. (A click its label causes too.)
  slider.addEventListener("pointerup", move);
  typed.addEventListener("input", settle);
  typed.addEventListener("change", () => {
    if (typed.value.trim() !== "" && value() === undefined) tell(problem(), true);
  });
  settle();
  const reset = () => {
    typed.value = "";
    settle();
  };
  return { element: together(levels, slider, typed, state), first: typed, value, problem, reset };
}

/**
 * @param {string[]} levels
 * @param {HTMLInputElement} slider
 * @param {HTMLInputElement} typed
 * @param {HTMLElement} state
 */
function together(levels, slider, typed, state) {
  const range = rangeOf(levels);
  const ends = [range.least, range.most].map((text) => element("span", {}, text));
  return element(
    "div",
    { class: "number" },
    element("label", { for: slider.id }, say("Move the slider")),
    slider,
    element("p", { class: "ends", "aria-hidden": "true" }, ...ends),
    element(
      "label",
      { for: typed.id },
      range.step
        ? say("or type a number from {least} to {most}, in steps of {step}", range)
        : say("or type a number from {least} to {most}", range),
    ),
    typed,
    state,
  );
}

/**
 * What people type for a number, as programs write it.
 *
 * @param {string} text
 */
const written = (text) => text.trim().replace(",", ".").replace("−", "-");

/** @param {string} text */
const isNumber = (text) => text !== "" && !Number.isNaN(Number(text));

/**
 * Which level somebody has typed.
 *
 * @param {string[]} levels
 * @param {string} typed
 * @returns {number | undefined}
 */
export function levelOf(levels, typed) {
  const text = written(typed);
  const level = levels.findIndex(
    (other) => other === text || (isNumber(text) && Number(other) === Number(text)),
  );
  return level < 0 ? undefined : level;
}

/**
 * What to do where what is typed is no level.
 *
 * @param {string[]} levels
 * @param {string} typed
 */
export function problemWith(levels, typed) {
  const range = rangeOf(levels);
  if (range.step) {
    return isNumber(written(typed))
      ? say("The number must be from {least} to {most}, in steps of {step}", range)
      : say("Enter a number from {least} to {most}, in steps of {step}", range);
  }
  return isNumber(written(typed))
    ? say("The number must be from {least} to {most}", range)
    : say("Enter a number from {least} to {most}", range);
}

/**
 * @param {string[]} levels
 * @returns {{least: string, most: string, step: string}} no step where it goes without saying
 */
function rangeOf(levels) {
  const [least, most] = [levels[0], levels[levels.length - 1]];
  const step = Number(levels[1]) - Number(levels[0]);
  const goesWithoutSaying = step === 1 || Number.isNaN(step);
  return { least, most, step: goesWithoutSaying ? "" : String(Number(step.toPrecision(6))) };
}
