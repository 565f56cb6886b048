/** What is said of answers that are sent as one; where they cannot all be true, nothing is sent. */

import { contradictions } from "../core/together.js";
import { timesIn100 } from "./odds.js";
import { say } from "./say.js";

/** How all of them are sent. @param {number} count how often they are replaced, of 100 times */
export const mixedAsOne = (count) =>
  say("Your device mixes your protected answers as one, and replaces them {times}.", {
    times: timesIn100(count),
  });

/** The same below each of them. @param {number} count */
export const mixedMark = (count) =>
  say("Mixed with other answers as one: replaced {times}.", { times: timesIn100(count) });

/** What one of them can reveal. @param {SurveyDocument} survey @param {Together} group */
export const sentAsOne = ({ questions }, group) =>
  say(
    "Chance decides once for these answers together: {questions}. Someone who knows all of them but one can learn as much about that one as about all.",
    {
      questions: questions
        .filter(({ id }) => group.questions.includes(id))
        .map(({ text }) => say("“{question}”", { question: text }))
        .join(", "),
    },
  );

/**
 * Where to mend answers that cannot all be true, at the follow-up among them.
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 * @param {Pick<Reading, "truths" | "given" | "skipped">} reading
 * @returns {Mistake[]}
 */
export function contradicting(survey, entries, { truths, given, skipped }) {
  return contradictions(survey, truths).flatMap((places) => {
    const own = entries.filter((entry) => places.includes(entry.places[0]));
    const isRead = (/** @type {Entry} */ entry) =>
      skipped.has(entry) || (given[entry.places[0]] ?? -1) >= 0;
    const entry = own.filter(({ question }) => question.ask_if).pop();
    const control = entry?.field.querySelector("input");
    if (own.length < places.length || !own.every(isRead) || !entry || !control) return [];
    const needed = own.find((one) =>
      entry.question.ask_if?.some(({ item }) => item === one.places[0]),
    );
    const instruction = say(
      "This cannot be true together with your answer to “{question}”. Change one of the two.",
      { question: needed?.question.text ?? "" },
    );
    return [{ entry, control, instruction, tells: true }];
  });
}
