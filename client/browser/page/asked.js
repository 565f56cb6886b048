/** What stands around the question of a class. */

import { element, folded, forgetfulInput, hint, paragraph, pressed } from "./dom.js";
import { underWay } from "./frame.js";
import { say } from "./say.js";

/**
 * The question first: what a class has heard already is folded below it.
 * @param {{shell: HTMLElement, button: HTMLElement}} frame
 * @param {"randomised" | "direct" | "prior"} asks
 * @param {() => void} leave lets somebody look on who does not answer
 */
export function arrange({ shell, button }, asks, leave) {
  const parts = ":scope > :is(section, .protects), .spinner ~ details";
  const explained = shell.parentElement?.querySelectorAll(parts) ?? [];
  shell.after(folded("explained", say("What happens to your answers"), [...explained]));
  // What nobody protects is said as large as the answers are.
  button.before((asks === "direct" ? paragraph : hint)(SAID[asks]()));
  button.textContent = say("Send");
  button.after(pressed("quiet without", leaveOut(), leave));
  underWay(true);
  if (asks === "prior") letSlide(shell);
}

const leaveOut = () => say("Leave it out");

/** What is said to who sends nothing. */
export const unwilling = () =>
  say("If you do not want to answer, press “{button}”. Nothing that you entered has been sent.", {
    button: leaveOut(),
  });

/**
 * Let somebody slide to a number, or type it. Nothing is chosen before one or the other is done, and
 * until then the slider seems to stand nowhere.
 * @param {HTMLElement} shell
 */
function letSlide(shell) {
  const typed = shell.querySelector(".number > input");
  if (!(typed instanceof HTMLInputElement) || typed.type === "range") return;
  const slider = forgetfulInput("range", {
    max: "100",
    value: "0",
    class: "nowhere",
    "aria-label": say("Your guess"),
  });
  // A tap on 0 moves nothing, and is a guess too.
  for (const event of ["input", "click"]) {
    slider.addEventListener(event, () => {
      typed.value = slider.value;
      typed.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
  const follow = () => {
    slider.value = typed.value || "0";
    slider.classList.toggle("nowhere", typed.value === "");
  };
  typed.addEventListener("input", follow);
  // It was typed already in another language.
  follow();
  const label = typed.parentElement?.querySelector("label");
  label?.replaceChildren(say("Tap the line, or enter a number from 0 to 100"));
  const ends = ["0", "100"].map((end) => element("span", { "aria-hidden": "true" }, end));
  typed.parentElement?.prepend(
    element("div", { class: "bar-name ends" }, ends[0], slider, ends[1]),
  );
}

/** What is said above the button, by what is asked. */
const SAID = {
  randomised: () =>
    say(
      "Your class sees how many reports came, and later how often each came. Nobody sees from whom.",
    ),
  prior: () =>
    say(
      "No chance is mixed into this guess. Your class sees all guesses as dots, and not whose they are, if at least 10 people guess.",
    ),
  direct: () =>
    say(
      "This answer is sent as you give it: who runs the server can read it. Your class sees totals only, after the question is closed, and if at least 10 people answered.",
    ),
};
