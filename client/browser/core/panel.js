/**
 * What this device keeps of a survey from one wave to the next: noisy answers to all that could be
 * true, by marks of the questions and of the law that they were drawn by.
 */

import { markOf, marksOf, openMemory } from "./memory.js";
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
  const own = survey.together ? marksTogether(survey, marksOf(survey)) : marksOf(survey);
  const laws = own.map((mark, place) => markOf([mark, items[place].permanent]));
  const known = () => memory.kept().maps ?? {};
  const waiting = memory.report();
  const late = waiting !== undefined && waveOf(waiting) !== wave;
  /** @type {number[][]} */
  let maps = [];
  return {
    ...memory,
    ready: ({ words }) => {
      const before = laws.map((law) => known()[law]);
      maps = drawMaps(survey, words, before);
      return readyReports(survey, words, maps);
    },
    report: () => {
      const report = memory.report();
      return report && waveOf(report) === wave ? report : undefined;
    },
    // All reports that are drawn from a noisy answer reveal no more than it does: it is paid for once.
    price: (due) => memory.price(due.map((is, place) => is && !known()[laws[place]])),
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
