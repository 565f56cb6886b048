/** The page of the ledger: what this device remembers, and a way to make it forget. */

import { dropReceipt, readLedger, total } from "../core/ledger.js";
import { forget } from "../core/storage.js";
import { element } from "./dom.js";
import { threeCosts } from "./waves.js";
import { drawnBy, fragment, inDigits, say } from "./say.js";
import { oddsFactor } from "./words.js";

/**
 * @param {HTMLElement} place
 * @param {Storage | undefined} storage
 */
export function showLedger(place, storage) {
  drawnBy(() => showLedger(place, storage));
  const entries = storage === undefined ? [] : readLedger(storage);
  place.dataset.screen = entries.length === 0 ? "empty" : "surveys";
  if (entries.length === 0) {
    place.replaceChildren(
      element(
        "div",
        { class: "panel", tabindex: "-1" },
        element("p", {}, say("This browser does not remember any survey.")),
      ),
    );
    return;
  }
  place.replaceChildren(
    ...entries.map((entry) => card(place, storage, entry)),
    element("p", { class: "total" }, sum(entries)),
  );
}

/**
 * @param {HTMLElement} place
 * @param {Storage | undefined} storage
 * @param {Remembered} entry
 */
function card(place, storage, entry) {
  const button = element("button", { type: "button", class: "quiet" }, say("Forget this survey"));
  const said = element("p", { role: "status" });
  button.addEventListener("click", () => {
    if (storage === undefined) return;
    if (said.textContent === "") {
      said.textContent = say(
        "This browser will then ask you again and draw new chance. Two reports from one person reveal more than one, because their ε add up. Press the button again to forget this survey.",
      );
      button.textContent = say("Forget it for good");
      return;
    }
    forget(storage, entry.survey);
    showLedger(place, storage);
    place.querySelector("h2, .panel")?.scrollIntoView();
    document.querySelector("h1")?.focus();
  });
  return element(
    "section",
    {
      class: "panel",
      "data-survey": entry.survey,
      "data-outcome": entry.outcome ?? "waiting",
    },
    element("h2", {}, element("a", { href: `/s/${entry.survey}${fragment()}` }, entry.title)),
    ...arrival(entry),
    ...(entry.waves ? overTime(entry, entry.waves) : sentOnce(entry)),
    ...receipt(place, storage, entry),
    said,
    button,
  );
}

/** @param {Remembered} entry */
function sentOnce({ epsilon, answers, outcome }) {
  const report = element("code", {}, answers);
  const which = outcome ? say("The report that was sent:") : say("The report that is waiting:");
  return [element("p", {}, revealed(epsilon)), element("p", { class: "hint" }, which, " ", report)];
}

/**
 * @param {Remembered} entry
 * @param {RememberedWaves} waves
 */
function overTime({ epsilon = NaN }, { wave, count, once, changing }) {
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
function arrival({ survey, outcome }) {
  switch (outcome) {
    case "stored":
      return [];
    case "closed":
      return [
        element(
          "p",
          { class: "error" },
          say("The report was not accepted, because the survey had ended."),
        ),
      ];
    case "refused":
      return [
        element(
          "p",
          { class: "error" },
          say("The report was not accepted. The server refused it."),
        ),
      ];
    default:
      return [
        element(
          "p",
          { class: "error" },
          say(
            "This report is waiting to be sent. Your device does not know yet whether it has arrived.",
          ),
        ),
        element("p", {}, element("a", { href: `/s/${survey}${fragment()}` }, say("Send it now"))),
      ];
  }
}

/**
 * The receipt, if one was kept, and a way to remove it alone.
 *
 * @param {HTMLElement} place
 * @param {Storage | undefined} storage
 * @param {Remembered} entry
 */
function receipt(place, storage, { survey, receipt: lines }) {
  if (lines === undefined) return [];
  const button = element("button", { type: "button" }, say("Remove the receipt from this device"));
  button.addEventListener("click", () => {
    if (storage) dropReceipt(storage, survey);
    showLedger(place, storage);
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
  if (epsilon === undefined)
    return say("This device did not write down how much the report can reveal.");
  return say(
    "The report can change the odds of a guess about you by a factor of {factor} at most (ε {epsilon}).",
    { factor: oddsFactor(epsilon), epsilon: inDigits(epsilon) },
  );
}

/** @param {Remembered[]} entries */
function sum(entries) {
  const epsilon = total(entries);
  if (epsilon === undefined) return say("What all of them reveal together is not known.");
  if (entries.length === 1) return say("No other survey was answered in this browser.");
  return say(
    "One person may have sent all {count}. Together they can then change the odds of a guess about that person by a factor of {factor} at most (ε {epsilon}).",
    { count: entries.length, factor: oddsFactor(epsilon), epsilon: inDigits(epsilon) },
  );
}
