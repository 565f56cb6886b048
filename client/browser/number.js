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
  const [least, most] = [levels[0], levels[levels.length - 1]];
  const range = { least, most, step: stepOf(levels) };
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

  const text = () => typed.value.trim().replace(",", ".").replace("−", "-");
  const isNumber = () => text() !== "" && !Number.isNaN(Number(text()));
  const value = () => {
    const level = levels.findIndex(
      (other) => other === text() || (isNumber() && Number(other) === Number(text())),
    );
    return level < 0 ? undefined : level;
  };
  /** Let the slider, and what is said of it, follow what is typed. */
  const settle = () => {
    const level = value();
    slider.value = String(level ?? Math.floor((levels.length - 1) / 2));
    slider.classList.toggle("unset", level === undefined);
    slider.setAttribute(
      "aria-valuetext",
      level === undefined ? say("not answered") : levels[level],
    );
    tell(
      level === undefined
        ? say("Not answered yet")
        : say("Your answer: {answer}", { answer: levels[level] }),
    );
  };
  // Always in the same place: a line that came in above the button would move it away from the
  // finger that is about to press it.
  const tell = (/** @type {string} */ what, wrong = false) => {
    state.textContent = what;
    state.className = wrong ? "error" : "hint";
    typed.setAttribute("aria-invalid", String(wrong));
  };
  const problem = () => {
    if (range.step) {
      return isNumber()
        ? say("The number must be from {least} to {most}, in steps of {step}", range)
        : say("Enter a number from {least} to {most}, in steps of {step}", range);
    }
    return isNumber()
      ? say("The number must be from {least} to {most}", range)
      : say("Enter a number from {least} to {most}", range);
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
    if (text() !== "" && value() === undefined) tell(problem(), true);
  });
  settle();
  return {
    element: element(
      "div",
      { class: "number" },
      element("label", { for: slider.id }, say("Move the slider")),
      slider,
      element("p", { class: "ends", "aria-hidden": "true" }, ...[least, most].map(span)),
      element(
        "label",
        { for: typed.id },
        range.step
          ? say("or type a number from {least} to {most}, in steps of {step}", range)
          : say("or type a number from {least} to {most}", range),
      ),
      typed,
      state,
    ),
    first: typed,
    value,
    problem,
    reset: () => {
      typed.value = "";
      settle();
    },
  };
}

/** @param {string} text */
function span(text) {
  return element("span", {}, text);
}

/** @param {string[]} levels */
function stepOf(levels) {
  const step = Number(levels[1]) - Number(levels[0]);
  return step === 1 || Number.isNaN(step) ? "" : String(Number(step.toPrecision(6)));
}
