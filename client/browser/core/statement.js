/**
 * Warner's own form: a spinner points to one of two statements, and people say whether it is true of
 * them. It points to what is sent of the second truth; both are flipped alike, so that the reply is
 * what is sent of either.
 *
 * The adversary has the device after the report was sent: with where the spinner pointed it tells the
 * truth. Browsers leave copies on the disk of what storage held, but never write a tab's name there. So
 * the name holds it, hidden by what storage holds: whoever gives a tab its name must not choose it.
 */

import { sample } from "./channel.js";
import { markOf, openMemory } from "./memory.js";
import { Refusal } from "./refusal.js";

/** @param {SurveyDocument} survey @param {Question} question @param {Item} item */
export function checkStatements({ waves }, { statements }, { weights: [one, ...rest], epsilon }) {
  const flipsAlike = rest.length === 1 && one.length === 2 && one[0] === rest[0][1];
  if (waves || epsilon === null || !flipsAlike || statements?.length !== 2) {
    throw new Refusal("no spinner could point to its statements as it says");
  }
}

/** The places of all that has a spinner. @param {SurveyDocument} survey */
const spinnersIn = ({ questions, items }) =>
  [...items.keys()].filter((place) =>
    questions.some(({ id, statements }) => statements && id === items[place].question),
  );

/** @param {SurveyDocument} survey @param {Uint32Array} words */
export function readyReplies(survey, words) {
  /** @type {number[][]} */
  const ready = [];
  for (const place of spinnersIn(survey)) {
    const pointed = sample(survey.items[place].weights, 1, words[place]);
    ready[place] = [1 - pointed, pointed];
  }
  return ready;
}

/**
 * A memory that knows where the spinners of a person point, until the report is made.
 * @type {(...of: [Storage | undefined, SurveyDocument, person: number, {name: string}]) => Memory}
 */
export const withSpinners = (storage, survey, person, tab) => {
  const memory = openMemory(storage, survey, person);
  const mark = markOf([survey.revision, person]);
  // A tab that several people use has an entry of each: a mark, and a number for each spinner.
  const entries = () => tab.name.split(",").map((entry) => entry.split(" "));
  const rename = (/** @type {string[][]} */ own) => {
    const others = entries().filter(([whose]) => whose && whose !== mark);
    tab.name = [...others, ...own].map((entry) => entry.join(" ")).join(",");
  };
  return {
    ...memory,
    ready: ({ words, orders }) => {
      const fresh = [...words.subarray(survey.items.length)];
      const { hiding: kept = [] } = memory.kept();
      // Before it was revised it may have had fewer spinners.
      const hiding = kept.length === fresh.length ? kept : fresh;
      const known = entries().find(([whose]) => whose === mark);
      const hidden = spinnersIn(survey).map((place, turn) => {
        if (known) words[place] = Number(known[turn + 1]) ^ hiding[turn];
        orders.set(survey.items[place].question, [words[place]]);
        return String(words[place] ^ hiding[turn]);
      });
      memory.write({ hiding });
      rename([[mark, ...hidden]]);
      return readyReplies(survey, words);
    },
    keep: (report, due, price) => {
      rename([]);
      memory.keep(report, due, price, { hiding: undefined });
    },
  };
};
