/**
 * The ledger of this device: which surveys were answered on it, and what each person's reports have
 * revealed, one by one and all together.
 *
 * Nothing of it leaves the device. Somebody who looks at it learns that the surveys were answered.
 */

import { accountOf, readEntry } from "./memory.js";
import { entriesIn, keyOf } from "./storage.js";

/**
 * @param {Storage} storage
 * @returns {RememberedPerson[]} the first person, and who else has answered anything, each with
 *   their surveys by title
 */
export function readLedger(storage) {
  const people = [...new Set([1, ...entriesIn(storage).map(({ person }) => person)])].sort();
  return people
    .map((person) => ({
      person,
      surveys: answeredBy(storage, person),
      ...accountOf(storage, person),
    }))
    .filter(({ person, surveys }) => person === 1 || surveys.length > 0);
}

/**
 * Let a person be asked more than before.
 *
 * @param {Storage} storage
 * @param {number} person
 * @param {number} limit millionths of ε in all
 */
export function raiseLimit(storage, person, limit) {
  storage.setItem(keyOf("", person), JSON.stringify({ limit }));
}

/**
 * @param {Storage} storage
 * @param {number} whose
 * @returns {Remembered[]}
 */
function answeredBy(storage, whose) {
  return entriesIn(storage)
    .filter(({ person }) => person === whose)
    .map(({ survey, key }) => ({ survey, title: survey, ...readEntry(storage, key) }))
    .filter(({ reported }) => reported !== undefined)
    .sort((one, other) => one.title.localeCompare(other.title));
}
