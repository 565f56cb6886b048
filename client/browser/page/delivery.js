/** Sending a report until it has arrived, and the page meanwhile and after it. */

import { keepsNoise } from "../core/questions.js";
import { send, waitFor } from "../core/submission.js";
import { whoAnswered } from "./person.js";
import { element } from "./dom.js";
import { underWay } from "./frame.js";
import { wordForm } from "./pin.js";
import { sentInShort, whatFollows } from "./receipt.js";
import { drawnBy, say } from "./say.js";
import { reloadOnce } from "./state.js";
import { cameInTime, cameTooLate } from "./waves.js";

/** What to say of each outcome of sending, by whether this browser keeps the report. */
const OUTCOMES = {
  stored: () => [say("Thank you. Your report has arrived."), say("You are done.")],
  closed: () => [
    say("This survey is closed"),
    say("Your report came after the end, so it was not counted. You do not need to do anything."),
  ],
  refused: () => [
    say("Your report was not accepted"),
    say(
      "It may have been kept all the same: a second one could reveal more. Tell the people who sent you the link.",
    ),
  ],
  pin: () => [
    say("This is not the access word"),
    say("Your report is not sent yet. Type the word again, or ask the people who gave it to you."),
  ],
  code: () => [
    say("This survey needs a code"),
    say("Your report is not sent yet. Type the code that you were given."),
  ],
  token: () => [
    say("Your report was not accepted"),
    say(
      "Do not type the code again: that could show which report is yours. Tell the people who gave you the code.",
    ),
  ],
  unreachable: (/** @type {boolean} */ keeps) => [
    say("Not sent yet"),
    keeps
      ? say(
          "Your report waits on this device. This page sends it by itself as soon as it can. If you close the page, it is sent when you open it again.",
        )
      : say("Leave this page open until your report is sent. This browser cannot keep it."),
  ],
};

/**
 * Whether something else is to be typed that was handed out, and sent again with the report.
 * @param {Outcome | undefined} outcome
 * @returns {outcome is "pin" | "code"}
 */
const asksFor = (outcome) => outcome === "pin" || outcome === "code";

const SENDING = () => [say("Sending …"), say("This takes a moment.")];

/**
 * What is said of an outcome.
 * @param {Session} session
 * @param {Outcome} outcome
 * @returns {(keeps: boolean) => string[]}
 */
function newsOf({ survey, meeting }, outcome) {
  if (outcome === "closed" && survey.waves) return cameTooLate;
  if (outcome === "stored" && keepsNoise(survey)) return cameInTime;
  return outcome === "stored" && meeting ? meeting.arrived : OUTCOMES[outcome];
}

/**
 * Put other parts there: what somebody has opened stays open.
 * @param {HTMLElement} place
 * @param {HTMLElement[]} parts
 */
function refill(place, parts) {
  const open = place.querySelector("details")?.open ?? false;
  place.replaceChildren(...parts);
  if (open) place.querySelector("details")?.toggleAttribute("open", true);
}

/**
 * @param {Session} session
 * @param {NoisyReport} report
 * @param {Words} [words] what is sent beside it
 * @returns {Promise<Outcome>}
 */
export async function deliver(session, report, words = session.memory.kept().words ?? {}) {
  const { root, memory, wanted } = session;
  root.dataset.screen = "report";
  const heading = element("h2", { tabindex: "-1" });
  const text = element("p");
  const again = element("button", { type: "button", class: "quiet", hidden: true });
  const sent = element("div");
  const status = element("div", { class: "panel", role: "status" }, heading, text, sent, again);
  const word = element("div");
  /** @type {(words: Words) => void} */
  let goOn;
  const below = element("div");
  let said = SENDING;
  /** @type {Outcome | undefined} */
  let outcome;
  const tell = (/** @type {() => string[]} */ next) => {
    said = next;
    [heading.textContent, text.textContent] = said();
    sent.replaceChildren(...sentInShort(session, report, outcome));
    again.textContent = say("Try again");
    if (outcome) status.dataset.outcome = outcome;
    word.replaceChildren(
      ...(asksFor(outcome) && said !== SENDING
        ? [wordForm(session, report, outcome, words, (typed) => goOn(typed))]
        : []),
    );
    refill(below, whatFollows(session, report, outcome));
  };
  const draw = () => {
    underWay(true);
    root.replaceChildren(...whoAnswered(session), status, word, below);
    tell(said);
  };
  drawnBy(draw);
  draw();
  heading.focus();
  for (let turn = 0; ; turn += 1) {
    outcome = await send(session.address, report, words);
    memory.settle(report, outcome);
    if (asksFor(outcome) && !wanted.includes(outcome)) {
      // It is needed since this page was opened, which cannot ask for it.
      if (reloadOnce()) return outcome;
      outcome = "unreachable";
    }
    const became = newsOf(session, outcome);
    const within = root.contains(document.activeElement);
    const waits = outcome === "unreachable";
    if (!waits) again.remove();
    tell(() => became(memory.works));
    // What had the focus may be gone.
    if (within && !root.contains(document.activeElement)) heading.focus();
    if (!waits && !asksFor(outcome)) return outcome;
    if (waits) {
      status.append(again);
      again.hidden = false;
      await waitFor(again, turn);
    } else {
      words = await new Promise((resolve) => (goOn = resolve));
      memory.write({ words, admission: undefined });
    }
    tell(SENDING);
  }
}
