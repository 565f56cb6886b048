/**
 * The ledger of this device: which surveys were answered on it, and what each person's reports have
 * revealed. Nothing of it leaves the device.
 */

import { accountOf, peopleOn, readEntry } from "./memory.js";
import { entriesIn } from "./storage.js";

/** Everybody who uses it, each with their surveys by title. @param {Storage} storage */
export function readLedger(storage) {
  return peopleOn(storage).map((person) => ({
    person,
    surveys: answeredBy(storage, person),
    ...accountOf(storage, person),
  }));
}

/** @param {Storage} storage @param {number} whose @returns {Remembered[]} */
function answeredBy(storage, whose) {
  return entriesIn(storage)
    .filter(({ person }) => person === whose)
    .map(({ survey, key }) => ({ survey, title: survey, ...readEntry(storage, key) }))
    .filter(({ reported }) => reported !== undefined)
    .sort((one, other) => one.title.localeCompare(other.title));
}
