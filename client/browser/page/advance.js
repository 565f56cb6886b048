/**
 * From one of two answers to the next question by a tap, where the survey's author wants that.
 *
 * Arrow keys only choose: whoever uses them would be taken away while they look at the answers. A
 * pause of one length shows what was chosen, whichever it is.
 */

import { hint } from "./dom.js";
import { say } from "./say.js";

/** Milliseconds for which the choice is seen. */
const SEEN = 250;

/** Of questions with two answers, besides to skip. @param {Question} question */
const isOfTwo = (question) =>
  question.type === "single" && !question.statements && question.answers.length === 2;

/** What is said of it below the answers. @param {SurveyDocument} survey @param {Question} question */
export const tapHint = ({ pages }, question) =>
  isOfTwo(question) && pages !== "one" ? [hint(say("A tap on an answer leads on."))] : [];

/**
 * @param {{frame: {shell: HTMLFormElement}, paper: Paper, view: View}} here which shows the questions
 */
export function advanceByTap(here) {
  const { shell } = here.frame;
  shell.addEventListener("click", ({ target, detail }) => {
    const { view } = here;
    const { length, 0: only } = here.paper.pages[view.place] ?? [];
    // A key presses too, as a click of no finger and no mouse.
    if (detail !== 1 || length !== 1 || !isOfTwo(only.question)) return;
    if (!(target instanceof Element && target.closest(".choice"))) return;
    // A label is followed by the click of its button: the second finds another page.
    setTimeout(() => here.view === view && shell.requestSubmit(), SEEN);
  });
}
