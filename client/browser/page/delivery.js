/** Sending a report until it has arrived, and the page after it. */

import { send, waitFor } from "../core/submission.js";
import { element } from "./dom.js";
import { reportTable } from "./panels.js";
import { thanks } from "./receipt.js";
import { cameTooLate } from "./waves.js";
import { drawnBy, say, translated } from "./say.js";

/** What to say of each outcome of sending, by whether this browser keeps the report. */
const OUTCOMES = {
  stored: () => [
    say("Thank you. Your report has arrived."),
    say("This is all that left your browser."),
  ],
  closed: () => [
    say("This survey is closed"),
    say("Your report was not accepted. It arrived after the survey had ended."),
  ],
  refused: () => [
    say("Your report was not accepted"),
    say("The server refused it. Your answers were not sent in any other form."),
  ],
  unreachable: (/** @type {boolean} */ keeps) => [
    say("Not sent yet"),
    keeps
      ? say(
          "Your report is waiting on this device. It is sent as soon as the server can be reached, by this page or when you come back.",
        )
      : say("Leave this page open until your report is sent. This browser cannot keep it."),
  ],
};

/**
 * @param {Session} session
 * @param {NoisyReport} report
 * @returns {Promise<Outcome>}
 */
export async function deliver({ root, survey, address, memory }, report) {
  root.dataset.screen = "report";
  // Of another revision this page does not know the questions.
  const shown = report.revision === survey.revision;
  const heading = element("h2", { tabindex: "-1" });
  const text = element("p");
  const again = element("button", { type: "button", hidden: true });
  const status = element("div", { class: "panel", role: "status" }, heading, text, again);
  /** @type {HTMLElement | undefined} */
  let table;
  let said = () => [say("Sending …"), say("This is being sent, and nothing else.")];
  const tell = (/** @type {() => string[]} */ next) => {
    said = next;
    [heading.textContent, text.textContent] = said();
    if (status.dataset.outcome === "stored") {
      status.after(...thanks(translated(survey), memory, table));
    }
  };
  const draw = () => {
    again.textContent = say("Try again");
    table = shown ? reportTable(translated(survey), report) : undefined;
    root.replaceChildren(status, table ?? "");
    tell(said);
  };
  drawnBy(draw);
  draw();
  heading.focus();
  for (let turn = 0; ; turn += 1) {
    const outcome = await send(`${address}/reports`, report);
    memory.settle(report, outcome);
    if (outcome !== "unreachable") {
      if (document.activeElement === again) heading.focus();
      again.remove();
    }
    status.dataset.outcome = outcome;
    tell(() => {
      const late = outcome === "closed" && survey.waves;
      return late ? cameTooLate() : OUTCOMES[outcome](memory.works);
    });
    if (outcome !== "unreachable") return outcome;
    again.hidden = false;
    await waitFor(again, turn);
    tell(() => [say("Sending …"), say("The same report is being sent again.")]);
  }
}
