/**
 * The questions on the page, and the only place that holds true answers: the state of its inputs.
 */

import { decides } from "../core/branching.js";
import { complete } from "../core/order.js";
import { placesOf } from "../core/protocol.js";
import { hasSeveralItems } from "../core/questions.js";
import { tapHint } from "./advance.js";
import { controlFor } from "./controls.js";
import { element, hint, paragraph } from "./dom.js";
import { followUp } from "./followup.js";
import { inShort } from "./randomisation.js";
import { whatWasDrawnOf } from "./subset.js";
import { say } from "./say.js";
import { tierOfOne } from "./sureness.js";
import { directMark } from "./words.js";

/**
 * @param {SurveyDocument} survey
 * @param {boolean[]} asked whether each item is asked; a question of which none is does not appear
 * @param {boolean[]} due whether it is to be reported, and was not before
 * @param {Orders} orders
 * @returns {Entry[]}
 */
export function buildForm(survey, asked, due, orders) {
  /** What decides whether another is asked: no answer to it is kept, so it is asked again. */
  const needed = new Set();
  const last = shownQuestions(survey, asked, orders).reverse();
  const entries = last.map(({ question, places }) => {
    const answered = places.every((place) => !due[place]);
    const isAsked = !answered || places.some((place) => needed.has(place));
    if (isAsked) question.ask_if?.forEach(({ item }) => decides(survey, item) && needed.add(item));
    const items = places.map((place) => survey.items[place]);
    const order = orderIn(survey, question, places, orders.get(question.id));
    // By its place: an id from the document could be that of another element, or hide a method of the
    // form that it stands in.
    const name = `question-${survey.questions.indexOf(question) + 1}`;
    const made = () =>
      question.ask_if
        ? followUp(name, survey, question, items, order)
        : controlFor(name, question, items, order);
    const control = isAsked ? made() : undefined;
    return {
      question,
      places,
      control,
      field: fieldOf(name, survey, question, places, control, answered),
    };
  });
  return entries.reverse();
}

/**
 * The questions in the order in which they stand, each with the places of those items that are asked.
 * @param {SurveyDocument} survey
 * @param {boolean[]} asked
 * @param {Orders} orders
 */
function shownQuestions(survey, asked, orders) {
  return complete(orders.get("") ?? [], survey.questions)
    .map((index) => survey.questions[index])
    .map((question) => ({
      question,
      places: placesOf(survey, question).filter((place) => asked[place]),
    }))
    .filter(({ places }) => places.length > 0);
}

/**
 * Of a question that is asked in part, the order of that part.
 * @param {SurveyDocument} survey
 * @param {Question} question
 * @param {number[]} places
 * @param {number[]} [order]
 */
function orderIn(survey, question, places, order) {
  if (!hasSeveralItems(question)) return order;
  const all = placesOf(survey, question);
  return order?.map((index) => places.indexOf(all[index])).filter((index) => index >= 0);
}

/**
 * @param {string} name the id of the field, which starts those of its elements
 * @param {SurveyDocument} survey
 * @param {Question} question
 * @param {number[]} places of what is asked of it
 * @param {Control | undefined} control
 * @param {boolean} answered whether this device has answered it before
 */
function fieldOf(name, survey, question, places, control, answered) {
  const partly = places.length < placesOf(survey, question).length;
  const before = say("You have already answered this on this device. It is not sent again.");
  return element(
    "fieldset",
    {
      class: "question",
      id: name,
      "data-question": question.id,
      "data-state": answered && "kept",
    },
    element("legend", {}, element("h2", { tabindex: "-1" }, question.text)),
    protectionOf(name, survey, question),
    ...(partly
      ? [
          element(
            "p",
            { class: "drawn", id: `${name}-drawn` },
            whatWasDrawnOf(places.length, survey, question),
          ),
        ]
      : []),
    ...(question.hint ? [element("p", { class: "hint", id: `${name}-hint` }, question.hint)] : []),
    ...(answered ? [paragraph(before)] : []),
    element("p", { class: "error", id: `${name}-error`, hidden: true }),
    control?.element ?? "",
    ...(control && question.prefer_not_to_say && question.protection !== "direct"
      ? [hint(say("Chance may change a skip, too."))]
      : []),
    ...(control && survey.advance ? tapHint(survey, question) : []),
  );
}

/**
 * How the answer is sent, and what it proves: in sight, where the finger is.
 * @param {string} name
 * @param {SurveyDocument} survey
 * @param {Question} question
 */
function protectionOf(name, survey, question) {
  return question.protection === "direct"
    ? element("p", { class: "mark direct", id: `${name}-mark` }, directMark())
    : element(
        "p",
        { class: "mark", id: `${name}-mark` },
        inShort(survey, question, tierOfOne(survey, question)),
      );
}

/** Hide what does not apply. @param {Entry[]} entries @param {Reading} reading */
export function showSkipped(entries, { skipped }) {
  for (const entry of entries) entry.field.hidden = skipped.has(entry);
}

/** @param {Entry[]} entries */
export function forgetAnswers(entries) {
  for (const { control } of entries) control?.reset();
}
