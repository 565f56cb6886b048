/**
 * What this device keeps of a survey from one wave to the next: noisy answers to all that could be
 * true, by marks of the questions and of the channel that they were drawn by, and by the items'
 * ids. Where other people answer each wave it keeps no more than of a survey that is asked once, and
 * answers one wave. The adversary is a server that changes a word to have the noise drawn anew, or to use it for
 * another question: what has a known id, and words that no wording of it had, is not asked.
 */

import { idsOf, isTrial, markOf, marksOf, openMemory } from "./memory.js";
import { add, dearest } from "./protocol.js";
import { keepsNoise } from "./questions.js";
import { Refusal } from "./refusal.js";
import { marksTogether } from "./together.js";
import { drawMaps, lossIfForgotten, readyReports } from "./waves.js";

/**
 * The memory of a device, for one wave of a survey.
 * @param {Storage | undefined} storage @param {SurveyDocument} survey
 * @param {number} person @param {number} wave from 1
 * @returns {Memory}
 * @throws {Refusal} if there is no such wave
 */
export function openMemoryInWave(storage, survey, person, wave) {
  const { waves = NEVER } = survey;
  if (!Number.isInteger(wave) || wave < 1 || wave > waves.count) {
    throw new Refusal("it would reveal more than is promised");
  }
  const isKept = keepsNoise(survey);
  const memory = openMemory(storage, survey, person, isKept ? wave : 0);
  const inWave = {
    report: () => {
      const report = memory.report();
      return report && waveOf(report) === wave ? report : undefined;
    },
    wave: {
      number: wave,
      late: isLate(memory, wave),
      isNew: isKept && wave > 1 && !memory.kept().maps,
    },
  };
  return { ...memory, ...inWave, ...(isKept ? withNoise(survey, memory, wave) : {}) };
}

/**
 * What is special about a memory that keeps noise.
 * @param {SurveyDocument} survey @param {Memory} memory @param {number} wave
 * @returns {Pick<Memory, "ready" | "due" | "price" | "keep">}
 */
function withNoise(survey, memory, wave) {
  const { items, epsilon, waves = NEVER } = survey;
  const lost = (/** @type {Item} */ item) => lossIfForgotten(item, waves.count);
  const wordings = [survey, ...(survey.earlier ?? [])].map(marksOf).map(apart);
  const [ids, current, ...earlier] = [idsOf(survey), ...wordings].map((own) =>
    (survey.together ? marksTogether(survey, own) : own).map((mark, place) =>
      markOf([mark, items[place].permanent]),
    ),
  );
  /** Under which mark the noisy answers of each place are kept, or will be; empty of what is not asked. */
  const roots = () => {
    const { maps = {}, names = {} } = memory.kept();
    return current.map((mark, at) => {
      const own = [mark, ...earlier.map((marks) => marks[at])].find(
        (one) => maps[one] || names[one],
      );
      return own ? (names[own] ?? own) : names[ids[at]] ? "" : mark;
    });
  };
  const keptMaps = () => roots().map((root) => memory.kept().maps?.[root]);
  /** @type {number[][]} */
  let maps = [];
  return {
    ready: ({ words }) => {
      maps = drawMaps(survey, words, keptMaps());
      return readyReports(survey, words, maps);
    },
    // Two that shared their noise would reveal whether their answers are the same.
    due: (asked) => {
      const own = roots();
      const isFirst = own.map(
        (root, at) => root !== "" && current[own.indexOf(root)] === current[at],
      );
      return memory.due(asked).map((is, at) => is && isFirst[at]);
    },
    // All reports that are drawn from a noisy answer reveal no more than it does: it is paid for once.
    price: (due) => {
      const kept = keptMaps();
      return memory.price(due.map((is, place) => is && !kept[place]));
    },
    keep: (report, due, price) => {
      const own = roots();
      const used = [...own.keys()].filter((at) => due[at] && maps[at].length > 0);
      const named = used.flatMap((at) => [current[at], ids[at]].map((name) => [name, own[at]]));
      const kept = memory.kept();
      memory.keep(report, due, price, {
        maps: { ...kept.maps, ...Object.fromEntries(used.map((at) => [own[at], maps[at]])) },
        names: { ...Object.fromEntries(named), ...kept.names },
        waves: { ...waves, epsilon, wave, forgotten: dearest(survey, lost, add) },
      });
      if (memory.works && !isTrial(survey)) void persist();
    },
  };
}

/**
 * Have the browser not delete by itself what this site keeps, where it decides so without a word to
 * the person: Chromium, which says "prompt" all the same, and Safari, to which the permission is
 * unknown. Firefox would ask them, in a window that names the site. What comes of it changes nothing.
 * @param {any} [browser] replaced in tests
 */
export async function persist(browser = globalThis.navigator) {
  try {
    const { storage, permissions, userAgentData } = browser;
    const asksNobody =
      userAgentData ||
      (await permissions.query({ name: "persistent-storage" }).then(
        (/** @type {PermissionStatus} */ { state }) => state === "granted",
        (/** @type {unknown} */ error) => error instanceof TypeError,
      ));
    if (asksNobody) await storage.persist();
  } catch {
    // A browser without any of this keeps what it keeps.
  }
}

/** Two that read alike have marks of their own: they share no noise. @param {string[]} marks */
const apart = (marks) => marks.map((mark, at) => mark + "+".repeat(at - marks.indexOf(mark)));

/** Nothing is said of waves where there are none. */
const NEVER = { count: 0, once: 0, changing: 0 };

/**
 * Whether a report of an earlier wave waits: whether it arrived nobody can tell, and it is not sent again.
 * @param {Memory} memory
 * @param {number} wave which is on
 */
function isLate(memory, wave) {
  const waiting = memory.report();
  const late = waiting !== undefined && waveOf(waiting) !== wave;
  if (late) memory.write({ outcome: "late" });
  return late;
}

/** Which wave a report is of, from 1. @param {NoisyReport} report */
const waveOf = ({ wave = "" }) => Number.parseInt(wave, 16);
