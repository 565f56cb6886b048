/** Who answers on this device, and what is said to those who have answered before. */

import { accountOf, keepLimit } from "../core/memory.js";
import { keepsNoise } from "../core/questions.js";
import { element, hint, inParagraphs, pressed } from "./dom.js";
import { underWay } from "./frame.js";
import { contact, helpline } from "./helpline.js";
import { revealed } from "./revealed.js";
import { drawnBy, fragment, say, translated } from "./say.js";
import { answeredWave, askedAgain } from "./waves.js";

/**
 * What there is to know of earlier reports before the first question: nothing as long as the
 * survey's own promise says it.
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
 * What is shown if nothing is to be asked or sent: all was reported, or a person would come above
 * their limit, who is then known: they can raise it in the ledger.
 * @param {Pick<Session, "storage" | "person" | "memory">} session
 * @param {boolean[]} due the items that are to be reported
 */
export function insteadOf({ storage, person, memory }, due) {
  const { limit, isAbove } = accountOf(storage, person, memory.price(due));
  if (isAbove && person > 1) keepLimit(storage, person, limit);
  return isAbove ? showLimit : due.includes(true) ? undefined : showAnswered;
}

/** The promise holds, so this is no alarm. @param {Session} session */
export function showLimit(session) {
  drawnBy(() => showLimit(session));
  const raise = element("a", { href: `/device${fragment()}` }, say("Raise my limit"));
  endHere(
    session,
    "limit",
    [
      say("This survey would go above your limit"),
      say(
        "Your answers from this browser can already show a lot about you, all surveys of this site together. So nothing is sent.",
      ),
      say("You lose nothing by stopping here."),
    ],
    hint(
      raise,
      " ",
      say(
        "Then you can answer. But someone who knows all your reports could learn more about you.",
      ),
    ),
    ...anotherPerson(
      session,
      hint(say("Only if it is somebody else. A second report from you would reveal more.")),
    ),
  );
}

/** Say that there is nothing to ask this person. @param {Session} session */
export function showAnswered(session) {
  if (session.meeting) return session.meeting.look();
  drawnBy(() => showAnswered(session));
  const heading = keepsNoise(session.survey)
    ? answeredWave()
    : say("You have answered this survey on this device.");
  const words = [
    heading,
    say("There is nothing new to ask, so nothing is sent."),
    ...(keepsNoise(session.survey) ? [askedAgain()] : []),
  ];
  endHere(session, "answered", words, ...anotherPerson(session));
}

/** @type {(session: Session, screen: string, words: string[], ...ways: HTMLElement[]) => void} */
function endHere(session, screen, [title, ...lines], ...ways) {
  const { root } = session;
  const survey = translated(session.survey);
  root.dataset.screen = screen;
  underWay(true);
  const heading = element("h2", { tabindex: "-1" }, title);
  const text = inParagraphs(lines);
  root.replaceChildren(
    ...whoAnswered(session),
    element("div", { class: "panel", "data-outcome": screen }, heading, ...text),
    ...helpline(survey),
    ...contact(survey),
    ...ways,
  );
  heading.focus();
}

/**
 * Ask who answers, where several people use the device.
 * @param {HTMLElement} root
 * @param {number[]} people
 * @param {boolean} others whether it may be somebody else
 * @param {(person: number) => void} answer
 */
export function askWho(root, people, others, answer) {
  drawnBy(() => askWho(root, people, others, answer));
  root.dataset.screen = "who";
  const heading = element("h2", { tabindex: "-1" }, say("Who is answering?"));
  const next = Math.max(...people) + 1;
  const buttons = [...people, ...(others ? [next] : [])].map((person) => {
    const words = person < next ? say("Person {person}", { person }) : say("Someone new");
    const button = pressed("quiet", words, () => answer(person));
    button.dataset.person = String(person);
    return button;
  });
  root.replaceChildren(heading, ...buttons);
  heading.focus();
}

/** Which person it is about, where it is not the first. @param {Session} session */
export const whoAnswered = ({ person }) =>
  person > 1 ? [hint(say("Person {person}", { person }))] : [];

/**
 * The way on for the next person: in a meeting a device is one person's.
 * @param {Session} session
 * @param {HTMLElement[]} below what is said of it
 */
export function anotherPerson({ somebodyElse, meeting }, ...below) {
  if (meeting) return [];
  const button = pressed("link", say("Answer as another person"), somebodyElse);
  return [element("p", { class: "else" }, say("Somebody else?"), " ", button), ...below];
}
