/** Sending a report until it has arrived, and the receipt. */

import { element } from "./dom.js";
import { reportTable } from "./panels.js";
import { say } from "./say.js";
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
 * @param {string} meanwhile
 * @param {Memory["settle"]} settle told of every outcome
 */
export async function deliver(root, survey, address, report, meanwhile, settle) {
  const heading = element("h2", { tabindex: "-1" }, meanwhile);
  const text = element("p", {}, say("This is being sent, and nothing else."));
  const status = element("div", { class: "panel", role: "status" }, heading, text);
  root.replaceChildren(status, reportTable(survey, report));
  heading.focus();
  for (;;) {
    const outcome = await send(`${address}/reports`, report);
    [heading.textContent, text.textContent] = OUTCOMES[outcome]();
    settle(outcome, heading, text);
    status.dataset.outcome = outcome;
    if (outcome !== "unreachable") return;
    await pressed(status);
    [heading.textContent, text.textContent] = [
      say("Sending …"),
      say("The same report is being sent again."),
    ];
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
