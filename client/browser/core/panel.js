/**
 * What this device keeps of a survey from one wave to the next.
 *
 * Once a report has arrived its id and bytes are forgotten: somebody who seizes this device and the
 * server's database finds nothing that says which of the reports came from here.
 */

import { mark } from "./memory.js";
import { Refusal } from "./refusal.js";
import { keyOf, wavesKeyOf } from "./storage.js";
import { drawMaps, readyReports } from "./waves.js";

/**
 * The memory of a device, for one wave of a survey.
 *
 * @param {Memory} memory
 * @param {Storage | undefined} storage
 * @param {SurveyDocument} survey
 * @param {number} wave from 1
 * @returns {Memory}
 * @throws {Refusal} if there is no such wave
 */
export function inWave(memory, storage, survey, wave) {
  const marks = survey.items.map((item) => mark(survey, item));
  const last = marks.length - 1;
  if (!survey.items[last].truths[wave - 1]) {
    throw new Refusal("it would reveal more than is promised");
  }
  /** Which wave a report is of that has not arrived yet, from 0. */
  const waiting = memory.bytes()[last];
  /** Of one that is of this wave. */
  const pending = () => {
    const bytes = memory.bytes();
    return bytes[last] === wave - 1 ? bytes : [];
  };
  /** @type {number[][]} */
  let maps = [];
  return {
    ...memory,
    ready: (words) => {
      const { maps: kept = {} } = readPanel(storage, survey);
      const before = marks.map((name) => kept[name]);
      maps = drawMaps(survey, words, before);
      return readyReports(survey, words, maps);
    },
    report: () => (pending().length > 0 ? memory.report() : undefined),
    bytes: () => marks.map((_mark, place) => (place === last ? wave - 1 : pending()[place])),
    answered: () => readPanel(storage, survey).wave >= wave,
    keep: (report) => {
      const drawn = Object.fromEntries(marks.map((name, place) => [name, maps[place]]));
      if (memory.works) keepPanel(storage, survey, wave, drawn);
      memory.keep(report);
    },
    settle: (outcome) => {
      if (outcome === "stored") storage?.removeItem(keyOf(survey.survey));
    },
    wave: { number: wave, late: waiting !== undefined && waiting !== wave - 1 },
  };
}

/**
 * @param {Storage | undefined} storage
 * @param {SurveyDocument} survey
 * @returns {{wave?: any, maps?: any}} nothing where it was not kept, or is broken
 */
function readPanel(storage, { survey }) {
  try {
    return JSON.parse(storage?.getItem(wavesKeyOf(survey)) ?? "{}");
  } catch {
    return {};
  }
}

/**
 * @param {Storage | undefined} storage
 * @param {SurveyDocument} survey
 * @param {number} wave
 * @param {Record<string, number[]>} drawn the noisy answers, by the marks of the items
 */
function keepPanel(storage, survey, wave, drawn) {
  const { title, epsilon, waves } = survey;
  // What another tab has kept meanwhile stays: it is what its report was drawn from.
  const maps = { ...drawn, ...readPanel(storage, survey).maps };
  const kept = { title, epsilon, ...waves, wave, maps };
  storage?.setItem(wavesKeyOf(survey.survey), JSON.stringify(kept));
}
