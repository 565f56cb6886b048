/**
 * A follow-up: what can be answered to it, and what is said of an answer that does not fit.
 */

import { isShownToAll, offered, skippedTruth } from "../core/branching.js";
import { hasSeveralItems, isOfNumbers, offersYesNo } from "../core/questions.js";
import { tickBoxes } from "./boxes.js";
import { radioGroup } from "./choices.js";
import { controlFor } from "./controls.js";
import { element, OWN } from "./dom.js";
import { say } from "./say.js";

/**
 * The control of a question that needs others: that it does not apply comes first where everybody
 * is shown it, and is never ticked beforehand.
 * @param {string} name starts the ids of its elements
 * @param {SurveyDocument} survey
 * @param {Question} question
 * @param {Item[]} items
 * @param {number[]} [order]
 * @returns {Control}
 */
export function followUp(name, survey, question, items, order = []) {
  const named = items.map((item) => ({ ...item, truths: offered(question, item) }));
  if (!isShownToAll(survey, question)) return controlFor(name, question, named, order);
  const skipped = skippedTruth(items[0]);
  const isOwn = named[0].truths.length > skipped;
  const text = isOwn ? named[0].truths[skipped].text : say("Does not apply to me");
  if (!isOfNumbers(question) && !hasSeveralItems(question)) {
    const truths = items[0].truths.map((one, at) => (at === skipped ? { ...one, text } : one));
    return controlFor(name, question, [{ ...items[0], truths }], [skipped, ...order]);
  }
  const control = controlFor(name, question, named, order);
  return isOwn ? control : skippable(name, question, control, items, text);
}

/**
 * A control below what says that none of it applies: each takes back the other.
 * @param {string} name
 * @param {Question} question
 * @param {Control} control
 * @param {Item[]} items
 * @param {string} text
 * @returns {Control}
 */
function skippable(name, question, control, items, text) {
  const id = `${name}-skip`;
  const skip = offersYesNo(question) ? tickBoxes(id, [text], []) : radioGroup(id, [text]);
  const isSkipped = () => skip.first.checked;
  for (const event of ["input", "change"]) control.element.addEventListener(event, skip.reset);
  skip.element.addEventListener("change", () => {
    if (isSkipped()) control.reset();
  });
  return {
    element: element("div", {}, skip.element, control.element),
    read: () => (isSkipped() ? items.map(skippedTruth) : control.read()),
    reset: () => {
      skip.reset();
      control.reset();
    },
  };
}

/**
 * Whether what somebody says of a follow-up is impossible after what they answered before.
 * @param {SurveyDocument} survey
 * @param {Question} question that is shown to all
 * @param {number} place of one of its items
 * @param {(number | undefined)[]} given
 */
export function isImpossible({ items }, { ask_if = [] }, place, given) {
  const codes = [place, ...ask_if.map(({ item }) => item)].map(
    (at) => items[at].truths[given[at] ?? -1]?.code ?? "prefer_not_to_say",
  );
  const said = given[place] !== skippedTruth(items[place]);
  const holds = ask_if.every(({ item, answers }) => answers.some((one) => one === given[item]));
  // Who declines has said nothing that could be impossible.
  return !codes.includes("prefer_not_to_say") && said !== holds;
}

/**
 * Why more answers are sent than somebody was perhaps asked for. It says so to everybody.
 * @param {SurveyDocument} survey
 */
export function sentUnasked(survey) {
  const unasked = survey.questions.find((one) => one.ask_if && !isShownToAll(survey, one));
  const item = survey.items.find(({ question }) => question === unasked?.id);
  if (!item) return [];
  const answer = item.truths[skippedTruth(item)].text;
  const words = say("If a question was not asked, “{answer}” counts as your answer.", { answer });
  return [element("p", { class: "hint unasked" }, words)];
}

/**
 * What is said at the review of answers that cannot all be true. They are sent as they were given.
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 * @param {Reading} reading
 */
export function unfitting(survey, entries, { given, skipped }) {
  const found = entries.filter(
    (entry) =>
      !skipped.has(entry) &&
      isShownToAll(survey, entry.question) &&
      isImpossible(survey, entry.question, entry.places[0], given),
  );
  if (found.length === 0) return [];
  const questions = found
    .map(({ question }) => say("“{question}”", { question: question.text }))
    .join(say(", "));
  const words = say(
    "This may not fit your earlier answers: {questions}. You can change it, or send it as it is.",
    { questions },
  );
  return [element("p", { ...OWN, class: "unfitting" }, words)];
}
