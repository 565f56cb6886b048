/** The page of the ledger: what this device remembers, and a way to make it forget. */

import { raiseLimit, readLedger } from "../core/ledger.js";
import { forget } from "../core/storage.js";
import { element } from "./dom.js";
import { drawnBy, fragment, inDigits, say } from "./say.js";
import { threeCosts } from "./waves.js";
import { oddsFactor } from "./words.js";

/** By how many millionths of ε a limit is raised at a time. */
const STEP = 10e6;

/**
 * @param {HTMLElement} place
 * @param {Storage | undefined} storage
 */
export function showLedger(place, storage) {
  drawnBy(() => showLedger(place, storage));
  const people = storage === undefined ? [] : readLedger(storage);
  const several = people.length > 1;
  const empty = !several && !people[0]?.surveys.length;
  place.dataset.screen = empty ? "empty" : "surveys";
  const none = element("p", {}, say("This browser does not remember any survey."));
  place.replaceChildren(
    ...(empty ? [element("div", { class: "panel", tabindex: "-1" }, none)] : []),
    ...people.flatMap((one) => {
      const { person, surveys } = one;
      return [
        ...(several ? [element("h2", {}, say("Person {person}", { person }))] : []),
        ...(empty ? [] : totalOf(one)),
        ...surveys.map((entry) => card(place, storage, entry, person, several)),
        ...limitOf(place, storage, one),
      ];
    }),
  );
}

/**
 * A button that must be pressed twice, and says why in between.
 *
 * @param {string} label
 * @param {string} warning
 * @param {string} again what the button says then
 * @param {() => void} act
 */
function pressedTwice(label, warning, again, act) {
  const button = element("button", { type: "button", class: "quiet" }, label);
  const said = element("p", { role: "status" });
  button.addEventListener("click", () => {
    if (said.textContent !== "") return act();
    said.textContent = warning;
    button.textContent = again;
  });
  return [said, button];
}

/**
 * What all reports of a person reveal together.
 *
 * @param {RememberedPerson} one
 */
function totalOf({ surveys, total }) {
  const lines = [
    say(
      "All reports together can change the odds of a guess about you by a factor of {factor} at most (ε {epsilon}).",
      numbers(total),
    ),
    ...(surveys.some(({ waves }) => waves)
      ? [say("This is true as long as your answers stay the same from wave to wave.")]
      : []),
  ];
  return lines.map((line) => element("p", { class: "total" }, line));
}

/**
 * Up to where a person is asked more.
 *
 * @param {HTMLElement} place
 * @param {Storage | undefined} storage
 * @param {RememberedPerson} one
 */
function limitOf(place, storage, { person, limit }) {
  return [
    element(
      "p",
      { class: "limit" },
      say(
        "Your limit is a factor of {factor} (ε {epsilon}) for all reports together. If a survey would go above it, you are not asked.",
        numbers(limit),
      ),
    ),
    ...pressedTwice(
      say("Raise my limit"),
      say(
        "The higher the limit, the more someone could learn who sees all your reports and knows that they are yours. Press the button again to raise it to a factor of {factor} (ε {epsilon}).",
        numbers(limit + STEP),
      ),
      say("Raise it"),
      () => {
        if (storage) raiseLimit(storage, person, limit + STEP);
        showLedger(place, storage);
        document.querySelector("h1")?.focus();
      },
    ),
  ];
}

/**
 * @param {HTMLElement} place
 * @param {Storage | undefined} storage
 * @param {Remembered} entry
 * @param {number} person
 * @param {boolean} below whether it stands below the heading of a person
 */
function card(place, storage, entry, person, below) {
  const { survey, title, waves, spent = 0 } = entry;
  const link = element("a", { href: `/s/${survey}${fragment()}` }, title);
  return element(
    "section",
    { class: "panel", "data-survey": survey, "data-outcome": outcomeOf(entry) },
    element(below ? "h3" : "h2", {}, link),
    ...arrival(entry),
    element(
      "p",
      {},
      say(
        "What was sent can change the odds of a guess about you by a factor of {factor} at most (ε {epsilon}).",
        numbers(spent),
      ),
    ),
    ...(waves ? overTime(waves) : []),
    ...pressedTwice(
      say("Forget this survey"),
      say(
        "This browser will then ask you again and draw new chance. Two reports from one person reveal more than one, and the total above will no longer count the first. Press the button again to forget this survey.",
      ),
      say("Forget it for good"),
      () => {
        if (storage) forget(storage, survey, person);
        showLedger(place, storage);
        place.querySelector("h2, .panel")?.scrollIntoView();
        document.querySelector("h1")?.focus();
      },
    ),
  );
}

/** @param {Remembered} entry */
const outcomeOf = ({ unsent, outcome }) => (unsent ? (outcome ?? "waiting") : "stored");

/** @param {RememberedWaves} waves */
function overTime({ wave, count, once, epsilon, changing }) {
  return [
    say("You last answered in wave {wave} of {count}.", { wave, count }),
    say("Largest factor by which this can change the odds of a guess about you"),
    ...threeCosts(once, epsilon, changing),
    say(
      "This browser keeps one randomised answer for every answer that you could give, whichever is true. It does not keep which report is yours. If it forgets these answers, later waves draw new ones, and all your reports together reveal more.",
    ),
  ].map((text) => element("p", {}, text));
}

/**
 * What is still to be done, or what failed.
 *
 * @param {Remembered} entry
 */
function arrival(entry) {
  const { survey, unsent } = entry;
  if (!unsent) return [];
  const error = (/** @type {string} */ text) => element("p", { class: "error" }, text);
  const report = element(
    "p",
    { class: "hint" },
    say("The report that is waiting:"),
    " ",
    element("code", {}, unsent.answers),
  );
  switch (outcomeOf(entry)) {
    case "closed":
      return [error(say("The report was not accepted, because the survey had ended."))];
    case "refused":
      return [error(say("The report was not accepted. The server refused it."))];
    default:
      return [
        error(
          say(
            "This report is waiting to be sent. Your device does not know yet whether it has arrived.",
          ),
        ),
        element("p", {}, element("a", { href: `/s/${survey}${fragment()}` }, say("Send it now"))),
        report,
      ];
  }
}

/** The ε to two places, rounded up. @param {number} millionths of ε */
function numbers(millionths) {
  const epsilon = Math.ceil(millionths / 1e4) / 100;
  return { factor: oddsFactor(millionths / 1e6), epsilon: inDigits(epsilon) };
}
