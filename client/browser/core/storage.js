/** This device's storage, where the browser allows it, and under which names we keep something. */

const PREFIX = "deniable:";

/**
 * Of each person on this device and each survey there is one entry. No survey's name has a colon in
 * it, and none is empty: under that name stands what is kept of the person.
 * @param {string} survey
 * @param {number} person from 1
 */
export const keyOf = (survey, person) => PREFIX + survey + (person > 1 ? `:${person}` : "");

/** Browsers that block storage throw already at the name of it. */
export function openStorage() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

/** Whether something can be kept: some browsers throw only when it is. @param {Storage} storage */
export function canWrite(storage) {
  try {
    storage.setItem("deniable?", "1");
    storage.removeItem("deniable?");
    return true;
  } catch {
    return false;
  }
}

/**
 * The entries of this device: whose they are, and of which survey.
 * @param {Storage} storage
 * @returns {{key: string, survey: string, person: number}[]}
 */
export function entriesIn(storage) {
  return Object.keys(storage).flatMap((key) => {
    if (!key.startsWith(PREFIX)) return [];
    const [survey, person] = key.slice(PREFIX.length).split(":");
    return [{ key, survey, person: Number(person ?? 1) }];
  });
}

/**
 * Remove everything that this device remembers of a survey, or of all of them.
 * @param {Storage} storage @param {string} [name] @param {number} [whose] everybody's by default
 */
export function forget(storage, name, whose) {
  for (const { key, survey, person } of entriesIn(storage)) {
    if (survey === (name ?? survey) && person === (whose ?? person)) storage.removeItem(key);
  }
}
