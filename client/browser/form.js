/**
 * The questions on the page, and the only place that holds true answers: the state of its inputs.
 *
 * @import {SurveyDocument} from "./protocol.js"
 * @typedef {{control: HTMLElement, question: string, instruction: string}} Mistake
 */

import { controlFor, Unanswered } from "./controls.js";
import { element } from "./dom.js";
import { placesOf } from "./protocol.js";
import { PROTECTION_MARK, whatWasDrawnOf } from "./words.js";

/**
 * @param {SurveyDocument} survey
 * @param {(number | undefined)[]} kept bytes that will be sent again, whatever is answered now
 * @param {boolean[]} asked whether each item is asked; a question of which none is does not appear
 */
export function buildForm(survey, kept, asked) {
  const shown = survey.questions
    .map((question) => ({
      question,
      places: placesOf(survey, question).filter((place) => asked[place]),
    }))
    .filter(({ places }) => places.length > 0);
  const questions = shown.map(({ question, places }) => {
    const answered = places.every((place) => kept[place] !== undefined);
    const control = answered
      ? undefined
      : controlFor(
          question,
          places.map((place) => survey.items[place]),
        );
    const error = element("p", { class: "error", id: `${question.id}-error`, hidden: true });
    const field = element(
      "fieldset",
      { class: "question", id: question.id },
      element("legend", {}, question.text),
      element("p", { class: `mark ${question.protection}` }, PROTECTION_MARK[question.protection]),
      ...whatWasDrawnOf(survey, question).map((text) => element("p", { class: "drawn" }, text)),
      ...(question.hint ? [element("p", { class: "hint" }, question.hint)] : []),
      error,
      control?.element ??
        element(
          "p",
          {},
          "You have answered this on this device. What was sent then is sent again.",
        ),
    );
    return { question, places, control, field, error };
  });

  /**
   * Read every question.
   *
   * @returns {{truths: number[], mistakes: Mistake[]}} a truth for each item (0 where bytes are kept)
   */
  const read = () => {
    const truths = survey.items.map(() => 0);
    /** @type {Mistake[]} */
    const mistakes = [];
    for (const { question, places, control } of questions) {
      if (control === undefined) continue;
      try {
        const found = control.read();
        places.forEach((place, index) => (truths[place] = found[index]));
      } catch (problem) {
        if (!(problem instanceof Unanswered)) throw problem;
        mistakes.push({
          control: control.first(),
          question: question.text,
          instruction: problem.message,
        });
      }
    }
    return { truths, mistakes };
  };

  /**
   * Say beside each question what is missing.
   *
   * @param {Mistake[]} mistakes
   */
  const show = (mistakes) => {
    for (const { field, error } of questions) {
      const mistake = mistakes.find(({ control }) => field.contains(control));
      error.hidden = mistake === undefined;
      error.textContent = mistake === undefined ? "" : mistake.instruction;
      field.classList.toggle("wrong", mistake !== undefined);
      if (mistake === undefined) field.removeAttribute("aria-describedby");
      else field.setAttribute("aria-describedby", error.id);
    }
  };

  const reset = () => questions.forEach(({ control }) => control?.reset());
  return { fields: questions.map(({ field }) => field), read, show, reset };
}
