/**
 * What this device remembers: the noise that it sent, never a truth, never the words that were drawn.
 *
 * Coming back re-sends the same bytes. Somebody who seizes the device finds what the server has
 * already, and no more.
 *
 * Where a survey asks only some of its questions, which ones were drawn is kept as soon as the page
 * opens, before anybody has answered: reloading until another question comes would spoil the
 * sample. It tells that the page was open on this device, and nothing of any answer.
 */

import { bytesOf, makeReport, NOT_ASKED } from "./report.js";
import { sha256 } from "./sha256.js";
import { canWrite, drawnKeyOf, keyOf } from "./storage.js";

/** Remembers nothing. @type {Memory} */
const FORGETFUL = {
  works: false,
  report: () => undefined,
  bytes: () => [],
  keep: () => {},
  notes: () => ({}),
  drawn: () => [],
  keepDrawn: () => {},
  // Of what is asked once only.
  ready: () => [],
  answered: () => false,
  settle: () => {},
};

/**
 * The memory of this device for a survey; one that remembers nothing where the browser forbids it.
 *
 * @param {Storage | undefined} storage
 * @param {SurveyDocument} survey
 * @returns {Memory}
 */
export function openMemory(storage, survey) {
  if (storage === undefined || !canWrite(storage)) return FORGETFUL;
  return {
    ...FORGETFUL,
    works: true,
    report: () => {
      const kept = read(storage, survey.survey);
      if (kept?.revision !== survey.revision) return undefined;
      return makeReport(survey, kept.id, bytesOf(kept.answers));
    },
    bytes: () => {
      const kept = read(storage, survey.survey);
      if (kept === undefined) return [];
      const bytes = bytesOf(kept.answers);
      return survey.items.map((item) => {
        const byte = bytes[kept.items.indexOf(mark(survey, item))];
        return byte === NOT_ASKED ? undefined : byte;
      });
    },
    keep: ({ revision, id, answers }) => {
      const kept = {
        revision,
        id,
        answers,
        items: survey.items.map((item) => mark(survey, item)),
        // For the ledger, which the person can read and clear.
        title: survey.title,
        epsilon: survey.epsilon,
      };
      storage.setItem(keyOf(survey.survey), JSON.stringify(kept));
    },
    notes: ({ id }, more) => {
      const kept = read(storage, survey.survey);
      // Forgotten meanwhile, by the person or in another tab: then it stays so.
      if (kept?.id !== id) return {};
      try {
        if (more) storage.setItem(keyOf(survey.survey), JSON.stringify({ ...kept, ...more }));
      } catch {
        // There is no room for a note. The noise itself was kept before.
      }
      return kept;
    },
    drawn: () => readDrawn(storage, survey.survey),
    keepDrawn: (drawn) => {
      const all = new Set([...drawn, ...readDrawn(storage, survey.survey)]);
      storage.setItem(drawnKeyOf(survey.survey), JSON.stringify([...all]));
    },
  };
}

/**
 * @param {Storage} storage
 * @param {string} survey
 * @returns {Kept | undefined}
 */
function read(storage, survey) {
  try {
    const kept = JSON.parse(storage.getItem(keyOf(survey)) ?? "null");
    const whole =
      typeof kept?.revision === "string" &&
      /^[0-9a-f]{32}$/.test(kept.id) &&
      /^(?:[0-9a-f]{2})+$/.test(kept.answers) &&
      Array.isArray(kept.items);
    return whole ? kept : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {Storage} storage
 * @param {string} survey
 * @returns {string[]}
 */
function readDrawn(storage, survey) {
  try {
    const drawn = JSON.parse(storage.getItem(drawnKeyOf(survey)) ?? "[]");
    return Array.isArray(drawn) ? drawn.filter((choice) => typeof choice === "string") : [];
  } catch {
    return [];
  }
}

/**
 * A short mark of all that a person reads of an item, of when it is asked and of how it is
 * randomised: if any of it changes, it is another question.
 *
 * @param {SurveyDocument} survey
 * @param {Item} item
 */
export function mark(survey, item) {
  const question = survey.questions.find(({ id }) => id === item.question);
  const all = JSON.stringify([question?.text, item, ...(question?.ask_if ?? [])]);
  return sha256(new TextEncoder().encode(all)).slice(0, 16);
}
