/** What is said to those who have answered before on this device. */

import { element } from "./dom.js";
import { drawnBy, say } from "./say.js";
import { answeredWave } from "./waves.js";
import { cost } from "./words.js";

/**
 * What there is to know of earlier reports before the first question.
 *
 * @param {Session} session
 * @param {boolean[]} due the items that are to be reported
 * @returns {string[]}
 */
export function earlierReports({ survey, memory }, due) {
  const { person } = memory;
  const together = ((memory.kept().spent ?? 0) + memory.price(due)) / 1e6;
  const lines =
    person > 1 ? [say("You answer as person {person} on this device.", { person })] : [];
  // Up to this the survey's own promise says it.
  if (together > survey.epsilon) {
    lines.push(
      say(
        "You have answered this survey on this device before. All your reports to it together can change the odds of a guess about you by this factor at most: {cost}",
        { cost: cost(together) },
      ),
    );
  }
  return lines;
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
  button.addEventListener("click", somebodyElse);
  const text = element("p", {}, say("There is nothing new to ask, so nothing is sent."));
  root.replaceChildren(
    element("div", { class: "panel", "data-outcome": "answered" }, heading, text, button),
  );
  heading.focus();
}
