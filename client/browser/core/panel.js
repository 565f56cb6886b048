/**
 * What this device keeps of a survey from one wave to the next: noisy answers to all that could be
 * true, by marks of the questions and of the law that they were drawn by.
 */

import { markOf, openMemory, wordedMarks } from "./memory.js";
import { Refusal } from "./refusal.js";
import { marksTogether } from "./together.js";
import { drawMaps, readyReports } from "./waves.js";

/**
 * The memory of a device, for one wave of a survey.
 * @param {Storage | undefined} storage @param {SurveyDocument} survey
 * @param {number} person @param {number} wave from 1
 * @returns {Memory}
 * @throws {Refusal} if there is no such wave
 */
export function inWave(storage, survey, person, wave) {
  const { items, epsilon, waves = NEVER } = survey;
  if (!Number.isInteger(wave) || wave < 1 || wave > waves.count) {
    throw new Refusal("it would reveal more than is promised");
  }
  const memory = openMemory(storage, survey, person, wave);
  // In its last wording first: what was kept under an earlier one is used again.
  const [laws, ...before] = wordedMarks(survey).map((marks) =>
    (survey.together ? marksTogether(survey, marks) : marks).map((mark, place) =>
      markOf([mark, items[place].permanent]),
    ),
  );
  const known = () => memory.kept().maps ?? {};
  const kept = (/** @type {number} */ place) =>
    [laws, ...before].map((own) => known()[own[place]]).find((map) => map);
  const waiting = memory.report();
  const late = waiting !== undefined && waveOf(waiting) !== wave;
  /** @type {number[][]} */
  let maps = [];
  return {
    ...memory,
    ready: ({ words }) => {
      maps = drawMaps(survey, words, [...laws.keys()].map(kept));
      return readyReports(survey, words, maps);
    },
    report: () => {
      const report = memory.report();
      return report && waveOf(report) === wave ? report : undefined;
    },
    // All reports that are drawn from a noisy answer reveal no more than it does: it is paid for once.
    price: (due) => memory.price(due.map((is, place) => is && !kept(place))),
    keep: (report, due, price) => {
      const used = laws.flatMap((law, place) =>
        due[place] && maps[place].length > 0 ? [[law, maps[place]]] : [],
      );
      memory.keep(report, due, price, {
        maps: { ...known(), ...Object.fromEntries(used) },
        waves: { ...waves, epsilon, wave },
      });
    },
    wave: { number: wave, late },
  };
}

/** Nothing is said of waves where there are none. */
const NEVER = { count: 0, once: 0, changing: 0 };

/** Which wave a report is of, from 1. @param {NoisyReport} report */
const waveOf = ({ wave = "" }) => Number.parseInt(wave, 16);
