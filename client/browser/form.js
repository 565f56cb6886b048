/**
 * The questions on the page, and the only place that holds true answers: the state of its inputs.
 */

import { applies, skippedTruth } from "./branching.js";
import { controlFor, Unanswered } from "./controls.js";
import { element } from "./dom.js";
import { complete } from "./order.js";
import { placesOf } from "./protocol.js";
import { say } from "./say.js";
import { protectionMark, whatWasDrawnOf } from "./words.js";

/**
 * @param {SurveyDocument} survey
 * @param {(number | undefined)[]} kept bytes that will be sent again, whatever is answered now
 * @param {boolean[]} asked whether each item is asked; a question of which none is does not appear
 * @param {Orders} orders
 */
export function buildForm(survey, kept, asked, orders) {
  const shown = complete(orders.get("") ?? [], survey.questions)
    .map((index) => survey.questions[index])
    .map((question) => ({
      question,
      places: placesOf(survey, question).filter((place) => asked[place]),
    }))
    // Which wave this is the page fills in, and asks of nobody.
    .filter(
      ({ question, places }) => places.length > 0 && !(survey.waves && question.id === "wave"),
    );
  /**
   * Of a question that is asked in part, the order of that part.
   *
   * @param {Question} question
   * @param {number[]} places
   */
  const orderIn = (question, places) => {
    const order = orders.get(question.id);
    if (question.type === "single") return order;
    const all = placesOf(survey, question);
    return order?.map((index) => places.indexOf(all[index])).filter((index) => index >= 0);
  };
  /** What decides whether another is asked: what is kept of it is noise, so it is asked again. */
  const needed = new Set();
  /** @param {{question: Question, places: number[]}} one @returns {Entry} */
  const enter = ({ question, places }) => {
    const answered = places.every((place) => kept[place] !== undefined);
    const isAsked = !answered || places.some((place) => needed.has(place));
    if (isAsked) question.ask_if?.forEach(({ item }) => needed.add(item));
    const control = isAsked
      ? controlFor(
          question,
          places.map((place) => survey.items[place]),
          orderIn(question, places),
        )
      : undefined;
    const heading = element("h2", { tabindex: "-1" }, question.text);
    const error = element("p", { class: "error", id: `${question.id}-error`, hidden: true });
    const field = element(
      "fieldset",
      { class: "question", id: question.id },
      element("legend", {}, heading),
      element("p", { class: `mark ${question.protection}` }, protectionMark(question.protection)),
      ...whatWasDrawnOf(survey, question).map((text) => element("p", { class: "drawn" }, text)),
      ...(question.hint ? [element("p", { class: "hint" }, question.hint)] : []),
      ...(answered
        ? [
            element(
              "p",
              {},
              say("You have answered this on this device. What was sent then is sent again."),
            ),
          ]
        : []),
      error,
      control?.element ?? "",
    );
    return { question, places, control, skipped: false, field, heading, error };
  };
  const entries = shown.reverse().map(enter).reverse();

  /**
   * Read all answers, and show what applies after them. An answer to what does not apply any more is
   * not read; it comes back when its question does.
   *
   * @returns {{truths: number[], mistakes: Mistake[]}} a truth for each item (0 where none is read)
   */
  const read = () => {
    const truths = survey.items.map(() => 0);
    /** @type {number[]} */
    const given = [];
    /** @type {Mistake[]} */
    const mistakes = [];
    for (const entry of entries) {
      const { question, control, places, field } = entry;
      entry.skipped = field.hidden = !applies(question, given);
      try {
        if (entry.skipped) places.forEach((at) => (truths[at] = skippedTruth(survey.items[at])));
        else
          control
            ?.read()
            .forEach((truth, index) => (truths[places[index]] = given[places[index]] = truth));
      } catch (problem) {
        if (!(control && problem instanceof Unanswered)) throw problem;
        mistakes.push({ entry, control: control.first(), instruction: problem.message });
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
    for (const { field, error } of entries) {
      const instruction = mistakes.find(({ entry }) => entry.field === field)?.instruction;
      error.hidden = instruction === undefined;
      error.textContent = instruction ?? "";
      field.classList.toggle("wrong", !error.hidden);
      if (error.hidden) field.removeAttribute("aria-describedby");
      else field.setAttribute("aria-describedby", error.id);
    }
  };

  const reset = () => entries.forEach(({ control }) => control?.reset());
  return { entries, read, show, reset };
}
