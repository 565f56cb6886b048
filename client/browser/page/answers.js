/**
 * What was answered, read from the page's inputs. They alone hold it: nothing here is kept.
 */

import { applies, skippedTruth } from "../core/branching.js";
import { contradicting } from "./together.js";

/** A question without an answer that can be sent. */
export class Unanswered extends Error {
  /** @param {Gap[]} gaps where something is missing, and what to do */
  constructor(gaps) {
    super("not answered");
    this.gaps = gaps;
  }
}

/** What was chosen, if something was. @param {number | undefined} value @param {() => Gap} gap */
export function chosen(value, gap) {
  if (value === undefined) throw new Unanswered([gap()]);
  return value;
}

/**
 * Read all answers, and what applies after them. An answer to what does not apply any more is not
 * read; it comes back when its question does.
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 * @returns {Reading} with a truth for each item (0 where none is read)
 */
export function readAnswers(survey, entries) {
  const { items } = survey;
  const truths = items.map(() => 0);
  /** @type {number[]} */
  const given = [];
  /** @type {Mistake[]} */
  const mistakes = [];
  /** @type {Set<Entry>} */
  const skipped = new Set();
  for (const entry of entries) {
    const { question, control, places } = entry;
    if (question.ask_if && !applies(survey, question, given)) {
      skipped.add(entry);
      places.forEach((at) => (truths[at] = skippedTruth(items[at])));
      continue;
    }
    places.forEach((at) => (given[at] = -1));
    try {
      control?.read().forEach((truth, index) => {
        truths[places[index]] = given[places[index]] = truth;
      });
    } catch (problem) {
      if (!(problem instanceof Unanswered)) throw problem;
      mistakes.push(...problem.gaps.map((gap) => ({ entry, ...gap })));
    }
  }
  if (survey.together) mistakes.push(...contradicting(survey, entries, { truths, given, skipped }));
  return { truths, given, mistakes, skipped };
}
