/**
 * What people have to agree to before a survey starts. That they did is a tick on this page: it is in
 * no report, and goes with the page.
 */

import { chosen } from "./answers.js";
import { tickBoxes } from "./boxes.js";
import { element, inParagraphs } from "./dom.js";
import { say } from "./say.js";

/**
 * Like a question, but of no item: nothing of it can reach a report.
 * @param {SurveyDocument} survey
 * @returns {Entry[]} one, or none where nothing has to be agreed to
 */
export function consentTo({ about: { consent = "" } = {} }) {
  const paragraphs = consent.split("\n").filter(Boolean);
  if (paragraphs.length === 0) return [];
  const id = "Consent";
  const title = say("Do you agree?");
  const box = tickBoxes(id, [say("I agree")], []);
  const field = element(
    "fieldset",
    { class: "question consent", id },
    element("legend", {}, element("h2", { tabindex: "-1" }, title)),
    ...inParagraphs(paragraphs),
    element("p", { class: "error", id: `${id}-error`, hidden: true }),
    box.element,
  );
  // As much of a question as it takes to say that its answer is missing.
  const question = /** @type {Question} */ ({ id, text: title });
  const gap = () => ({
    control: box.first,
    instruction: say("Tick the box if you agree. Without it, nothing is asked."),
  });
  /** What is read is no answer, so it is not handed on. */
  const read = () => (chosen(box.value()[0], gap), []);
  return [{ question, places: [], control: { ...box, read }, field }];
}
