/**
 * The ledger of this device: which surveys were answered on it, and what each report revealed.
 *
 * It holds what coming back needs and no more: the noise, and the promise under which it was sent.
 * Nothing of it leaves the device. Somebody who looks at it learns that the surveys were answered.
 */

import { keyOf, surveysIn, wavesKeyOf } from "./storage.js";

/**
 * @param {Storage} storage
 * @returns {Remembered[]} by title
 */
export function readLedger(storage) {
  return surveysIn(storage)
    .flatMap((survey) => {
      const [report, waves] = [storage.getItem(keyOf(survey)), storage.getItem(wavesKeyOf(survey))];
      const sent = remembered(survey, report);
      if (!waves) return sent;
      // In waves a report is kept until it has arrived, and no longer.
      const outcome = report ? sent[0]?.outcome : "stored";
      return remembered(survey, waves).map((entry) => ({ ...entry, outcome }));
    })
    .sort((one, other) => one.title.localeCompare(other.title));
}

/**
 * Remove the receipt of a survey, and nothing else of it.
 *
 * @param {Storage} storage
 * @param {string} survey
 */
export function dropReceipt(storage, survey) {
  const kept = JSON.parse(storage.getItem(keyOf(survey)) ?? "{}");
  delete kept.receipt;
  storage.setItem(keyOf(survey), JSON.stringify(kept));
}

/**
 * What all reports together reveal, if one person sent them: the ε add up.
 *
 * @param {Remembered[]} entries
 * @returns {number | undefined} undefined where one of them is not known
 */
export function total(entries) {
  return entries.reduce(
    (/** @type {number | undefined} */ sum, { epsilon }) =>
      sum === undefined || epsilon === undefined ? undefined : sum + epsilon,
    0,
  );
}

/**
 * @param {string} survey
 * @param {string | null} text
 * @returns {Remembered[]} one, or none where it is no entry
 */
function remembered(survey, text) {
  try {
    const kept = JSON.parse(text ?? "null");
    const { wave, count, once, changing } = kept ?? {};
    const waves = Number.isInteger(wave) ? { wave, count, once, changing } : undefined;
    if (!waves && typeof kept?.answers !== "string") return [];
    return [
      {
        survey,
        title: typeof kept.title === "string" ? kept.title : survey,
        epsilon: typeof kept.epsilon === "number" ? kept.epsilon : undefined,
        answers: kept.answers ?? "",
        outcome: kept.outcome,
        receipt: Array.isArray(kept.receipt) ? kept.receipt : undefined,
        ...(waves && { waves }),
      },
    ];
  } catch {
    return [];
  }
}
