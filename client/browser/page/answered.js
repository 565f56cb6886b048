/** Who answers on this device, and what is said to those who have answered before. */

import { accountOf, keepLimit } from "../core/memory.js";
import { Refusal } from "../core/refusal.js";
import { element, pressed } from "./dom.js";
import { underWay } from "./frame.js";
import { revealed } from "./revealed.js";
import { drawnBy, say } from "./say.js";
import { answeredWave } from "./waves.js";

/**
 * What there is to know of earlier reports before the first question: nothing as long as the
 * survey's own promise says it.
 *
 * @param {Session} session
 * @param {boolean[]} due the items that are to be reported
 * @returns {string[]}
 */
export function earlierReports({ survey, memory }, due) {
  const { spent = 0, direct } = memory.kept();
  const together = spent + memory.price(due);
  if (together / 1e6 <= survey.epsilon) return [];
  return [
    say(
      "You have answered this survey on this device before. Your reports to it, with the new one:",
    ),
    ...revealed([{ spent: together, direct }]),
  ];
}

/**
 * @param {Storage | undefined} storage
 * @param {number} person
 * @param {number} price of what is to be asked, in millionths of ε
 * @throws {Refusal} if all reports of this person would then reveal more than they allow
 */
export function keepToLimit(storage, person, price) {
  const { limit, isAbove } = accountOf(storage, person, price);
  if (!isAbove) return;
  // So that the ledger lists this person, and the limit can be raised there.
  if (person > 1) keepLimit(storage, person, limit);
  throw new Refusal(
    "with this survey, all your reports would go above your limit. You can raise it under “What this device remembers”",
  );
}

/**
 * Say that there is nothing to ask this person.
 *
 * @param {Session} session
 */
export function showAnswered(session) {
  const { root, survey } = session;
  drawnBy(() => showAnswered(session));
  root.dataset.screen = "answered";
  underWay(true);
  const words = survey.waves
    ? answeredWave()
    : say("You have answered this survey on this device.");
  const heading = element("h2", { tabindex: "-1" }, words);
  const text = element("p", {}, say("There is nothing new to ask, so nothing is sent."));
  root.replaceChildren(
    ...whoAnswered(session),
    element("div", { class: "panel", "data-outcome": "answered" }, heading, text),
    anotherPerson(session),
  );
  heading.focus();
}

/**
 * Ask who answers, where several people use the device.
 *
 * @param {HTMLElement} root
 * @param {number[]} people
 * @param {(person: number) => void} answer
 */
export function askWho(root, people, answer) {
  drawnBy(() => askWho(root, people, answer));
  root.dataset.screen = "who";
  const heading = element("h2", { tabindex: "-1" }, say("Who is answering?"));
  const next = Math.max(...people) + 1;
  const buttons = [...people, next].map((person) => {
    const words = person < next ? say("Person {person}", { person }) : say("Someone new");
    const button = pressed("quiet", words, () => answer(person));
    button.dataset.person = String(person);
    return button;
  });
  root.replaceChildren(heading, ...buttons);
  heading.focus();
}

/**
 * Which person it is about, where it is not the first.
 *
 * @param {Session} session
 */
export const whoAnswered = ({ person }) =>
  person > 1 ? [element("p", { class: "hint" }, say("Person {person}", { person }))] : [];

/**
 * The way on for the next person.
 *
 * @param {Session} session
 */
export function anotherPerson({ somebodyElse }) {
  const button = pressed("link", say("Answer as another person"), somebodyElse);
  return element("p", { class: "else" }, say("Somebody else?"), " ", button);
}
