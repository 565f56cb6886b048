/** What readers say before they are shown: a guess of a page's number, and answers to exercises. */

import { found, written } from "./elements.js";

const NUMBER = /^[±≈=$€ε\s]*([-−–]?\d*\.?\d+)(?:\/(\d+))?\s*(%?)\D*$/;

/**
 * What a number can mean as people write it: with a unit, or as a fraction. Where percent is asked
 * for, a number up to 1 without its sign may be a share.
 * @param {string} text
 * @param {boolean} percent whether percent is asked for
 */
export function numbersIn(text, percent) {
  // The comma of 1,200 groups digits, and that of 0,3 is a point.
  const plain = text.replaceAll(/(?<=[1-9]\d{0,2}),(?=\d{3})/g, "").replaceAll(",", ".");
  const [, over = "", under = "1", sign] = NUMBER.exec(plain) ?? [];
  const read = Number(over.replace(/[−–]/, "-")) / Number(under);
  if (over === "" || !Number.isFinite(read)) return [];
  if (!percent) return [sign ? read / 100 : read];
  return sign || Math.abs(read) > 1 ? [read] : [read, 100 * read];
}

/**
 * Whether an answer to an exercise is right; undefined if a number is asked for and it is none.
 * @param {string} said
 * @param {string} right a number, or the words of an option
 * @param {string | undefined} within how far off a number may be; nothing for options
 * @param {boolean} [percent] whether percent is asked for
 */
export function isRight(said, right, within, percent = false) {
  if (!within) return said === right;
  const numbers = numbersIn(said, percent);
  if (!numbers.length) return undefined;
  // What is written in decimals is not exact in a computer's numbers.
  return numbers.some((one) => Math.abs(one - Number(right)) <= Number(within) + 1e-9);
}

/**
 * How near a guess is, of all that could be guessed.
 * @param {number} guess
 * @param {number} right
 * @param {number[]} ends the least and the greatest guess
 * @param {boolean} [multiplies] whether distances are factors
 */
export function judged(guess, right, ends, multiplies) {
  const [low, high, one, other] = [...ends, guess, right].map(multiplies ? Math.log : Number);
  const off = Math.abs(one - other) / (high - low);
  if (off <= 0.03) return "Well guessed.";
  if (off <= 0.12) return "Close.";
  return guess > right ? "It is less." : "It is more.";
}

/** Whether the guess is drawn: until the page shows other settings than the guess is of. */
let drawn = false;

/** Whether the slider of the guess has been moved: where it stands at first is no guess. */
let moved = false;

/**
 * The number that a slider stands for: where the picture's axis multiplies, so does the slider.
 * @param {HTMLInputElement} slider
 */
function guessOf({ valueAsNumber, dataset: { least, most, step } }) {
  if (least === undefined) return valueAsNumber;
  const reached = Number(least) * (Number(most) / Number(least)) ** valueAsNumber;
  return Math.round(reached / Number(step)) * Number(step);
}

/** The guess as the picture draws it. @returns {LabGuess | undefined} */
export function guessNow() {
  if (!drawn) return undefined;
  const slider = found("guessed", HTMLInputElement);
  const { factor, ...known } = JSON.parse(`${found("guess", HTMLFormElement).dataset.drawn}`);
  const made = document.querySelector('[data-guess="made"]') !== null;
  const guessed = Math.max(guessOf(slider) * factor, known.range[0]);
  return { ...known, guessed, moved, made };
}

/**
 * Ask for a guess, and let the picture live once there is one, or once a slider is turned; at once
 * if the address has settings.
 * @param {() => void} draw
 * @param {() => void} reveal
 */
export function askForGuess(draw, reveal) {
  const card = found("guess", HTMLFormElement);
  const slider = found("guessed", HTMLInputElement);
  const bench = /** @type {HTMLElement} */ (document.querySelector(".bench"));
  /** @param {boolean} guessed */
  const show = (guessed) => {
    drawn = guessed;
    bench.dataset.guess = "made";
    draw();
    reveal();
  };
  const settings = bench.querySelector(".settings");
  settings?.addEventListener("input", () => show(false), { once: true });
  if (location.search !== "") {
    show(false);
    return;
  }
  drawn = true;
  draw();
  // Paper shows no guess that nobody has made.
  addEventListener("beforeprint", () => show(drawn && moved));
  slider.addEventListener("input", () => {
    moved = true;
    const [output] = card.getElementsByTagName("output");
    output.value = written(guessOf(slider));
    slider.setAttribute("aria-valuetext", output.value);
    draw();
  });
  card.addEventListener("submit", (event) => {
    event.preventDefault();
    moved = true;
    const text = `${document.querySelector(`[data-value="${card.dataset.answer}"] dd`)?.textContent}`;
    const [right] = numbersIn(text, true);
    const { least, most } = slider.dataset;
    const guess = guessOf(slider);
    const ends = [Number(least ?? slider.min), Number(most ?? slider.max)];
    const outcome = found("outcome", HTMLElement);
    outcome.hidden = false;
    /** @param {string} number */
    const said = (number) => `${number} ${card.dataset.unit}`.trim();
    outcome.textContent =
      `${judged(guess, right, ends, least !== undefined)} ` +
      `You guessed ${said(written(guess))}, and it is ${/[%a-z]/.test(text) ? text : said(text)}.`;
    show(true);
    outcome.focus({ preventScroll: true });
    for (const seen of [found("first", HTMLElement), outcome])
      seen.scrollIntoView({ block: "nearest" });
  });
  found("no-guess", HTMLButtonElement).addEventListener("click", () => {
    show(false);
    found("first", HTMLElement).scrollIntoView({ block: "nearest" });
  });
}

/** Let the exercises take answers. */
export function checkExercises() {
  for (const exercise of document.querySelectorAll("form.exercise")) {
    if (!(exercise instanceof HTMLFormElement)) continue;
    exercise.querySelector(".try")?.removeAttribute("hidden");
    let wrong = 0;
    exercise.addEventListener("submit", (event) => {
      event.preventDefault();
      const { right = "", within, percent } = exercise.dataset;
      const said = `${new FormData(exercise).get("said")}`;
      const good = isRight(said, right, within, percent !== undefined);
      if (good === false) wrong += 1;
      const verdict = /** @type {HTMLElement} */ (exercise.querySelector(".verdict"));
      if (good === undefined) verdict.textContent = "Type a number, such as 12.5 or 1/20.";
      else if (good) verdict.textContent = "Right.";
      else if (wrong > 1) verdict.textContent = "Not so. The answer says why.";
      else verdict.textContent = "Not so. Try again, or open the answer.";
      if (good || wrong > 1) exercise.querySelector("details")?.setAttribute("open", "");
    });
  }
}
