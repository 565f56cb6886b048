/** What readers say before they are shown: a guess of a page's number, and answers to exercises. */

import { found, say, written } from "./elements.js";

/** A number as people write it: with a comma, a minus sign of print, or a unit. @param {string} text */
export function numberIn(text) {
  const plain = text.trim().replace(",", ".").replace(/^[−–]/, "-");
  return Number.parseFloat(plain.replace(/^±\s*/, ""));
}

/**
 * Whether an answer to an exercise is right.
 * @param {string} said
 * @param {string} right a number, or the words of an option
 * @param {string | undefined} within how far off a number may be; nothing for options
 */
export function isRight(said, right, within) {
  if (!within) return said === right;
  // What is written in decimals is not exact in a computer's numbers.
  return Math.abs(numberIn(said) - Number(right)) <= Number(within) + 1e-9;
}

/** @param {number} guess @param {number} right @param {number} width of what could be guessed */
export function judged(guess, right, width) {
  const off = Math.abs(guess - right) / width;
  if (off <= 0.03) return say("Well guessed.");
  if (off <= 0.12) return say("Close.");
  return guess > right ? say("It is less.") : say("It is more.");
}

/**
 * Ask for a guess, and show the page once there is one; at once if the address has settings.
 * @param {() => void} reveal
 */
export function askForGuess(reveal) {
  const card = found("guess", HTMLFormElement);
  const slider = found("guessed", HTMLInputElement);
  const bench = /** @type {HTMLElement} */ (document.querySelector(".bench"));
  const show = () => {
    card.hidden = true;
    bench.dataset.guess = "made";
    reveal();
  };
  // A language is no setting.
  if (![...new URLSearchParams(location.search).keys()].every((name) => name === "language")) {
    show();
    return;
  }
  card.hidden = false;
  slider.addEventListener("input", () => {
    const [output] = card.getElementsByTagName("output");
    output.value = written(slider.value);
  });
  card.addEventListener("submit", (event) => {
    event.preventDefault();
    const { right, text } = card.dataset;
    const width = Number(slider.max) - Number(slider.min);
    const outcome = found("outcome", HTMLElement);
    outcome.hidden = false;
    const guess = written(slider.value);
    outcome.textContent =
      `${judged(slider.valueAsNumber, Number(right), width)} ` +
      say("You guessed {guess}, and it is {right}.", { guess, right: `${text}` });
    show();
    outcome.focus();
  });
  found("no-guess", HTMLButtonElement).addEventListener("click", show);
}

/** Let the exercises take answers. */
export function checkExercises() {
  for (const exercise of document.querySelectorAll("form.exercise")) {
    if (!(exercise instanceof HTMLFormElement)) continue;
    exercise.querySelector(".try")?.removeAttribute("hidden");
    exercise.addEventListener("submit", (event) => {
      event.preventDefault();
      const { right = "", within } = exercise.dataset;
      const good = isRight(`${new FormData(exercise).get("said")}`, right, within);
      const verdict = /** @type {HTMLElement} */ (exercise.querySelector(".verdict"));
      verdict.textContent = good ? say("Right.") : say("Not so. The answer says why.");
      exercise.querySelector("details")?.setAttribute("open", "");
    });
  }
}
