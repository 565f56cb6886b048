/** What is said to those who have answered before on this device. */

import { accountOf, passesLimit } from "../core/memory.js";
import { Refusal } from "../core/refusal.js";
import { element } from "./dom.js";
import { drawnBy, say } from "./say.js";
import { answeredWave } from "./waves.js";
import { cost } from "./words.js";

/**
 * What there is to know of earlier reports before the first question: nothing as long as the
 * survey's own promise says it.
 *
 * @param {Session} session
 * @param {boolean[]} due the items that are to be reported
 * @returns {string[]}
 */
export function earlierReports({ survey, memory }, due) {
  const together = ((memory.kept().spent ?? 0) + memory.price(due)) / 1e6;
  if (together <= survey.epsilon) return [];
  return [
    say(
      "You have answered this survey on this device before. All your reports to it together can change the odds of a guess about you by this factor at most: {cost}",
      { cost: cost(together) },
    ),
  ];
}

/**
 * @param {Storage | undefined} storage
 * @param {number} person
 * @param {number} price of what is to be asked, in millionths of ε
 * @throws {Refusal} if all reports of this person would then reveal more than they allow
 */
export function keepToLimit(storage, person, price) {
  const account = accountOf(storage, person);
  if (!passesLimit(account, price)) return;
  const [together, limit] = [account.total + price, account.limit].map((all) => cost(all / 1e6));
  throw new Refusal(
    "with this survey, all your reports could change the odds of a guess about you by this factor: {together}. Your limit is {limit}. You can raise it under “What this device remembers”",
    { together, limit },
  );
}

/**
 * Say that there is nothing to ask this person.
 *
 * @param {Session} session
 */
export function showAnswered(session) {
  const { root, survey, somebodyElse } = session;
  drawnBy(() => showAnswered(session));
  root.dataset.screen = "answered";
  const words = survey.waves
    ? answeredWave()
    : say("You have answered this survey on this device.");
  const heading = element("h2", { tabindex: "-1" }, words);
  const button = element("button", { type: "button" }, say("Answer as another person"));
  button.addEventListener("click", somebodyElse, { once: true });
  const text = element("p", {}, say("There is nothing new to ask, so nothing is sent."));
  root.replaceChildren(
    element("div", { class: "panel", "data-outcome": "answered" }, heading, text, button),
  );
  heading.focus();
}
