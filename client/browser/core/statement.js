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
 * A memory that knows where the spinners point, until the report is made.
 *
 * @type {(...of: [Storage | undefined, SurveyDocument, person: number, {name: string}]) => Memory}
 */
export const withSpinners = (storage, survey, person, tab) => {
  const memory = openMemory(storage, survey, person);
  return {
    ...memory,
    ready: ({ words, orders }) => {
      const { hiding = [...words.subarray(survey.items.length)] } = memory.kept();
      const mark = markOf([survey.revision, person, hiding]);
      const [whose, ...hidden] = tab.name.split(" ");
      spinnersIn(survey).forEach((place, turn) => {
        if (whose === mark) words[place] = Number(hidden[turn]) ^ hiding[turn];
        hidden[turn] = String(words[place] ^ hiding[turn]);
        orders.set(survey.items[place].question, [words[place]]);
      });
      memory.write({ hiding });
      tab.name = [mark, ...hidden].join(" ");
      return readyReplies(survey, words);
    },
    keep: (report, due, price) => {
      tab.name = "";
      memory.keep(report, due, price, { hiding: undefined });
    },
  };
};
