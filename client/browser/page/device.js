/** The page of the ledger: what this device remembers, and a way to make it forget. */

import { readLedger } from "../core/ledger.js";
import { keepLimit, LIMIT } from "../core/memory.js";
import { forget } from "../core/storage.js";
import { addressOf } from "./address.js";
import { element, folded, inParagraphs, pressed } from "./dom.js";
import { mostBy } from "./odds.js";
import { revealed } from "./revealed.js";
import { drawnBy, fragment, inDigits, say } from "./say.js";
import { threeCosts } from "./waves.js";

/** What became of a report. */
const STATES = {
  stored: () => say("sent"),
  waiting: () => say("not sent yet"),
  closed: () => say("came too late, not counted"),
  late: () => say("perhaps came too late"),
  refused: () => say("not accepted, perhaps kept all the same"),
};

/**
 * @param {HTMLElement} place
 * @param {Storage | undefined} storage
 * @param {boolean} [titled] whether titles are shown, which others may see
 */
export function showLedger(place, storage, titled = false) {
  drawnBy(() => showLedger(place, storage, titled));
  const people = storage === undefined ? [] : readLedger(storage);
  const several = people.length > 1;
  const empty = !several && !people[0]?.surveys.length;
  place.dataset.screen = empty ? "empty" : "surveys";
  const none = say("This browser does not remember any survey.");
  place.replaceChildren(
    ...(empty ? [element("p", { class: "panel" }, none)] : []),
    ...people.flatMap((one) => {
      const { person } = one;
      const surveys = titled ? toldApart(one.surveys) : one.surveys.map(untitled);
      const rows = surveys.map((entry) => listed(place, storage, entry, person));
      return [
        ...(several ? [element("h2", {}, say("Person {person}", { person }))] : []),
        ...(rows.length > 0 ? [element("dl", { class: "review" }, ...rows)] : []),
        ...(rows.length > 0 ? [whatTheyReveal(surveys)] : []),
        limitOf(place, storage, one),
      ];
    }),
    ...(empty || titled
      ? []
      : [
          pressed("quiet titles", say("Show the titles"), () => {
            showLedger(place, storage, true);
            document.querySelector("h1")?.focus();
          }),
        ]),
  );
}

/** Surveys of one title have a number each. @param {Remembered[]} surveys @returns {Remembered[]} */
const toldApart = (surveys) =>
  surveys.map((entry, at) => {
    const before = surveys.slice(0, at).filter(({ title }) => title === entry.title).length;
    return before > 0 ? { ...entry, title: `${entry.title} (${before + 1})` } : entry;
  });

/** @param {Remembered} entry @param {number} at @returns {Remembered} */
const untitled = (entry, at) => ({ ...entry, title: say("Survey {number}", { number: at + 1 }) });

/**
 * A button that must be pressed twice, and says why in between.
 * @param {Record<string, string>} attributes of the button
 * @param {string} label
 * @param {string} warning
 * @param {string} again what the button says then
 * @param {() => void} act
 */
function pressedTwice(attributes, label, warning, again, act) {
  const button = element("button", { type: "button", ...attributes }, label);
  const said = element("p", { role: "status" });
  button.addEventListener("click", () => {
    if (said.textContent !== "") return act();
    said.textContent = warning;
    button.textContent = again;
    button.removeAttribute("aria-label");
  });
  return [button, said];
}

/**
 * A survey, what became of the report, and what forgets it.
 * @param {HTMLElement} place
 * @param {Storage | undefined} storage
 * @param {Remembered} entry
 * @param {number} person
 */
function listed(place, storage, entry, person) {
  const { survey, title, unsent, outcome } = entry;
  const address = addressOf({ ...entry, kind: entry.parent ? "meeting" : undefined }) + fragment();
  const became = unsent ? (outcome ?? "waiting") : "stored";
  const waiting = [" – ", element("a", { href: address }, say("Send it now"))];
  const forgetting = pressedTwice(
    { class: "link", "aria-label": say("Forget this survey: {title}", { title }) },
    say("Forget"),
    say(
      "This browser will then ask you again and draw new chance. Two reports from one person reveal more than one, and the total below will no longer count the first. Press the button again to forget this survey.",
    ),
    say("Forget it for good"),
    () => {
      if (storage) forget(storage, survey, person);
      showLedger(place, storage);
      scrollTo(0, 0);
      document.querySelector("h1")?.focus();
    },
  );
  return element(
    "div",
    { "data-survey": survey, "data-outcome": became },
    element("dt", {}, element("a", { href: address }, title)),
    element(
      "dd",
      {},
      STATES[became === "unreachable" ? "waiting" : became](),
      ...(became === "waiting" ? waiting : []),
    ),
    element("dd", {}, ...forgetting),
  );
}

/** How much the reports of a person reveal: all of them, and each. @param {Remembered[]} surveys */
function whatTheyReveal(surveys) {
  const lines = revealed(surveys);
  if (surveys.some(({ waves }) => waves)) {
    // It is said of the bound, which comes first.
    lines.splice(
      1,
      0,
      say("This is true as long as your answers stay the same from wave to wave."),
    );
  }
  return element(
    "div",
    {},
    ...inParagraphs(lines, "total"),
    folded("each", say("How much each survey reveals"), [
      element("dl", {}, ...surveys.flatMap((entry) => each(entry, surveys))),
    ]),
  );
}

/** @param {Remembered} entry @param {Remembered[]} surveys of the same person */
function each(entry, surveys) {
  const lines = [
    ...revealed([entry], {
      bound: (most) => say("Protected answers: {most}", { most }),
      beside: surveys,
    }),
    ...(entry.drawn?.length
      ? [say("Your browser chose some of its questions for you at random, and keeps which ones.")]
      : []),
    ...(entry.waves ? overTime(entry.waves) : []),
  ];
  return [element("dt", {}, entry.title), ...lines.map((line) => element("dd", {}, line))];
}

/** @param {RememberedWaves} waves */
function overTime({ wave, count, once = NaN, epsilon, changing = null, forgotten }) {
  return [
    say("You last answered in wave {wave} of {count}.", { wave, count }),
    say("How sure someone can be who thought it was 50:50:"),
    ...threeCosts(once, epsilon, changing),
    say("If this browser forgets what it keeps: {cost}", { cost: mostBy(forgotten) }),
    say(
      "This browser keeps one randomised answer for every answer that you could give, whichever is true. It does not keep which report is yours. If it forgets these answers, later waves draw new ones, and all your reports together reveal more.",
    ),
  ];
}

/**
 * Up to where a person is asked more.
 * @param {HTMLElement} place
 * @param {Storage | undefined} storage
 * @param {ReturnType<typeof readLedger>[number]} one
 */
function limitOf(place, storage, { person, total, limit }) {
  const times = limit / LIMIT + 1;
  return folded("limits", say("Your limit"), [
    element(
      "p",
      { class: "limit" },
      say(
        "Your protected answers have used {used} of 100 parts of your limit. If a survey would go above it, you are not asked.",
        { used: inDigits(Math.ceil((100 * total) / limit)) },
      ),
    ),
    ...pressedTwice(
      { class: "quiet" },
      say("Raise my limit"),
      say(
        "The higher the limit, the more someone could learn who sees all your reports and knows that they are yours. Press the button again to raise it to {times} times the usual limit.",
        { times: inDigits(times) },
      ),
      say("Raise it"),
      () => {
        keepLimit(storage, person, times * LIMIT);
        showLedger(place, storage);
        document.querySelector("h1")?.focus();
      },
    ),
  ]);
}
