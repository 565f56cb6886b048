/**
 * Where the page of the ledger starts: what this device remembers, and a way to make it forget.
 */

import { element } from "./dom.js";
import { armExit } from "./exit.js";
import { findLanguage } from "./language.js";
import { dropReceipt, readLedger, total } from "./ledger.js";
import { drawnBy, fragment, inDigits, say } from "./say.js";
import { forget, openStorage } from "./storage.js";
import { threeCosts } from "./waves.js";
import { oddsFactor } from "./words.js";

const ledger = document.getElementById("ledger");
const storage = openStorage();
armExit(storage);
findLanguage();
if (ledger !== null) {
  drawnBy(() => show(ledger));
  show(ledger);
}

/** @param {HTMLElement} place */
function show(place) {
  const entries = storage === undefined ? [] : readLedger(storage);
  if (entries.length === 0) {
    place.replaceChildren(
      element(
        "div",
        { class: "panel", tabindex: "-1" },
        element("p", {}, say("This browser remembers no survey that was answered here.")),
      ),
    );
    return;
  }
  place.replaceChildren(
    ...entries.map((entry) => card(place, entry)),
    element("p", { class: "total" }, sum(entries)),
  );
}

/**
 * @param {HTMLElement} place
 * @param {Remembered} entry
 */
function card(place, entry) {
  const button = element("button", { type: "button", class: "quiet" }, say("Forget this survey"));
  const said = element("p", { role: "status" });
  button.addEventListener("click", () => {
    if (storage === undefined) return;
    if (said.textContent === "") {
      said.textContent = say(
        "This browser will ask you again, and mix in new chance. Two reports from one person reveal more than one: their ε add up. Press once more to forget.",
      );
      button.textContent = say("Forget it for good");
      return;
    }
    forget(storage, entry.survey);
    show(place);
    place.querySelector("h2, .panel")?.scrollIntoView();
    document.querySelector("h1")?.focus();
  });
  return element(
    "section",
    { class: "panel", "data-survey": entry.survey },
    element("h2", {}, element("a", { href: `/s/${entry.survey}${fragment()}` }, entry.title)),
    ...arrival(entry),
    ...(entry.waves ? overTime(entry, entry.waves) : sentOnce(entry)),
    ...receipt(place, entry),
    said,
    button,
  );
}

/** @param {Remembered} entry */
function sentOnce({ epsilon, answers, outcome }) {
  const report = element("code", {}, answers);
  const which = outcome ? say("The report that it sent:") : say("The report that waits:");
  return [element("p", {}, revealed(epsilon)), element("p", { class: "hint" }, which, " ", report)];
}

/**
 * @param {Remembered} entry
 * @param {RememberedWaves} waves
 */
function overTime({ epsilon = NaN }, { wave, count, once, changing }) {
  return [
    say("Answered last in round {wave} of {count}.", { wave, count }),
    say("By what factor it can change anybody’s odds about you, at most"),
    ...threeCosts(once, epsilon, changing),
    say(
      "This browser keeps one noisy answer for each answer that you could give, whichever is true, and not which report is yours. If it forgets them, later rounds draw new ones, and all reports together reveal more.",
    ),
  ].map((text) => element("p", {}, text));
}

/**
 * What is still to be done, or what failed.
 *
 * @param {Remembered} entry
 */
function arrival({ survey, outcome }) {
  switch (outcome) {
    case "stored":
      return [];
    case "closed":
      return [
        element("p", { class: "error" }, say("It was not taken, because the survey had ended.")),
      ];
    case "refused":
      return [element("p", { class: "error" }, say("It was not taken: the server refused it."))];
    default:
      return [
        element(
          "p",
          { class: "error" },
          say("Waiting to be sent: this device does not know yet that it has arrived."),
        ),
        element("p", {}, element("a", { href: `/s/${survey}${fragment()}` }, say("Send it now"))),
      ];
  }
}

/**
 * The receipt, if one was kept, and a way to remove it alone.
 *
 * @param {HTMLElement} place
 * @param {Remembered} entry
 */
function receipt(place, { survey, receipt: lines }) {
  if (lines === undefined) return [];
  const button = element("button", { type: "button" }, say("Remove the receipt from this device"));
  button.addEventListener("click", () => {
    if (storage) dropReceipt(storage, survey);
    show(place);
    const link = place.querySelector(`[data-survey="${survey}"] a`);
    if (link instanceof HTMLElement) link.focus();
  });
  return [
    element(
      "details",
      {},
      element("summary", {}, say("The receipt that you kept")),
      element(
        "dl",
        {},
        ...lines.flatMap(({ asked, sent, byte }) => [
          element("dt", {}, asked),
          element("dd", {}, `${sent} `, element("code", {}, byte)),
        ]),
      ),
      button,
    ),
  ];
}

/** @param {number | undefined} epsilon */
function revealed(epsilon) {
  if (epsilon === undefined) return say("What the report can reveal was not written down.");
  return say(
    "The report can change somebody's odds about you by a factor of {factor} at most (ε {epsilon}).",
    { factor: oddsFactor(epsilon), epsilon: inDigits(epsilon) },
  );
}

/** @param {Remembered[]} entries */
function sum(entries) {
  const epsilon = total(entries);
  if (epsilon === undefined) return say("What all of them reveal together is not known.");
  if (entries.length === 1) return say("No other survey was answered in this browser.");
  return say(
    "All {count} together, if one person sent them: by a factor of {factor} at most (ε {epsilon}).",
    { count: entries.length, factor: oddsFactor(epsilon), epsilon: inDigits(epsilon) },
  );
}
