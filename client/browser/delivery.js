/** Sending a report until it has arrived, and the receipt. */

import { element } from "./dom.js";
import { reportTable } from "./panels.js";
import { drawnBy, say, translated } from "./say.js";
import { send } from "./submission.js";

/** What to say of each outcome of sending. */
const OUTCOMES = {
  stored: () => [
    say("Thank you. Your report has arrived."),
    say("This, and nothing else, left your browser."),
  ],
  closed: () => [
    say("This survey is closed"),
    say("Your report was not taken. It arrived after the survey had ended."),
  ],
  refused: () => [
    say("Your report was not taken"),
    say("The server refused it. Nothing you answered was sent in any other form."),
  ],
  unreachable: () => [
    say("Not sent yet"),
    say(
      "The server cannot be reached. Try again now, or come back to this page later: the same report will be sent.",
    ),
  ],
};

/**
 * @param {HTMLElement} root
 * @param {SurveyDocument} survey
 * @param {string} address
 * @param {NoisyReport} report
 * @param {() => string} meanwhile
 * @param {Memory["settle"]} settle told of every outcome; returns what else to say of it
 */
export async function deliver(root, survey, address, report, meanwhile, settle) {
  const heading = element("h2", { tabindex: "-1" });
  const text = element("p");
  const status = element("div", { class: "panel", role: "status" }, heading, text);
  let said = () => [meanwhile(), say("This is being sent, and nothing else.")];
  const tell = (/** @type {() => string[]} */ next) => {
    said = next;
    [heading.textContent, text.textContent] = said();
  };
  const draw = () => {
    tell(said);
    status.querySelector("button")?.replaceChildren(say("Try again"));
    root.replaceChildren(status, reportTable(translated(survey), report));
  };
  drawnBy(draw);
  draw();
  heading.focus();
  for (;;) {
    const outcome = await send(`${address}/reports`, report);
    const other = settle(outcome);
    tell(other ?? OUTCOMES[outcome]);
    status.dataset.outcome = outcome;
    if (outcome !== "unreachable") return;
    await pressed(status);
    tell(() => [say("Sending …"), say("The same report is being sent again.")]);
  }
}

/**
 * Offer to try again, and wait until that is wanted.
 *
 * @param {HTMLElement} status
 * @returns {Promise<void>}
 */
function pressed(status) {
  const button = element("button", { type: "button" }, say("Try again"));
  status.append(button);
  return new Promise((resolve) => {
    button.addEventListener("click", () => {
      button.remove();
      resolve();
    });
  });
}
