/** Sending a report until it has arrived, and the page after it. */

import { element } from "./dom.js";
import { reportTable } from "./panels.js";
import { thanks } from "./receipt.js";
import { drawnBy, say, translated } from "./say.js";
import { send, waitFor } from "./submission.js";

/** What to say of each outcome of sending, by whether this browser keeps the report. */
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
  unreachable: (/** @type {boolean} */ keeps) => [
    say("Not sent yet"),
    keeps
      ? say(
          "Your report waits on this device. It is sent as soon as the server can be reached: by this page, or when you come back to it.",
        )
      : say("Leave this page open until your report is sent: this browser cannot keep it."),
  ],
};

/**
 * @param {HTMLElement} root
 * @param {SurveyDocument} survey
 * @param {string} address
 * @param {NoisyReport} report
 * @param {Memory} memory
 * @param {() => string} meanwhile
 */
export async function deliver(root, survey, address, report, memory, meanwhile) {
  const before = memory.notes(report);
  const arrived = before.outcome === "stored";
  // Who comes back may be somebody else: they read of it only what was kept to be read.
  const shown = !arrived || before.receipt;
  const heading = element("h2", { tabindex: "-1" });
  const text = element("p", { hidden: !shown });
  const again = element("button", { type: "button", hidden: true });
  const status = element("div", { class: "panel", role: "status" }, heading, text, again);
  /** @type {HTMLElement | undefined} */
  let table;
  let said = () => [meanwhile(), say("This is being sent, and nothing else.")];
  const tell = (/** @type {() => string[]} */ next) => {
    said = next;
    [heading.textContent, text.textContent] = said();
    if (status.dataset.outcome === "stored") {
      status.after(...thanks(translated(survey), report, memory, table));
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
    const sent = await send(`${address}/reports`, report);
    // What has arrived once stays so, also where the survey has been closed meanwhile.
    const outcome = arrived ? "stored" : sent;
    if (outcome !== "unreachable") {
      if (document.activeElement === again) heading.focus();
      again.remove();
      memory.notes(report, { outcome });
    }
    const other = memory.settle(outcome);
    status.dataset.outcome = outcome;
    tell(() => {
      const [title, words] = other?.() ?? OUTCOMES[outcome](memory.works);
      return [arrived ? meanwhile() : title, words];
    });
    if (outcome !== "unreachable") return;
    again.hidden = false;
    await waitFor(again, turn);
    tell(() => [say("Sending …"), say("The same report is being sent again.")]);
  }
}
