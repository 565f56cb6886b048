/** What stands around the question of a class. */

import { element, folded, forgetfulInput } from "./dom.js";
import { underWay } from "./frame.js";
import { say } from "./say.js";

/**
 * The question first: what a class has heard already is folded below it.
 * @param {{shell: HTMLElement, button: HTMLElement}} frame
 * @param {"randomised" | "direct" | "prior"} asks
 */
export function arrange({ shell, button }, asks) {
  // Of a spinner, what it does besides pointing.
  const parts = ":scope > :is(ul, section, .protects), .spinner ~ .hint + .hint";
  const explained = shell.parentElement?.querySelectorAll(parts) ?? [];
  shell.after(folded("explained", say("What happens to your answers"), [...explained]));
  button.before(element("p", { class: "hint" }, SAID[asks]()));
  button.textContent = say("Send");
  underWay(true);
  if (asks === "prior") letSlide(shell);
}

/**
 * Let somebody slide to a number, or type it. Nothing is chosen before one or the other is done.
 * @param {HTMLElement} shell
 */
function letSlide(shell) {
  const typed = shell.querySelector(".number > input");
  if (!(typed instanceof HTMLInputElement) || typed.type === "range") return;
  const slider = forgetfulInput("range", { max: "100", "aria-label": say("Your guess") });
  slider.addEventListener("input", () => {
    typed.value = slider.value;
    typed.dispatchEvent(new Event("input", { bubbles: true }));
  });
  typed.addEventListener("input", () => (slider.value = typed.value || "50"));
  typed.parentElement?.prepend(slider);
}

const saidOfReports = () =>
  say("Your class sees each report as soon as it comes. Nobody sees from whom it came.");

const saidOfGuesses = () =>
  say(
    "No chance is mixed into this guess. Your class sees all guesses as dots, and not whose they are, if at least 10 people guess. You may leave it out.",
  );

const saidOfTotals = () =>
  say(
    "No chance is mixed into this answer. Your class sees how many have answered. It sees totals only after the question is closed, and if at least 10 people answered. You may leave it out.",
  );

/** What is said above the button, by what is asked. */
const SAID = { randomised: saidOfReports, direct: saidOfTotals, prior: saidOfGuesses };
