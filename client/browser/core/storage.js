/** This device's storage, where the browser allows it, and under which names we keep something. */

const PREFIX = "deniable:";

/** What was sent, or waits to be. No survey's name has a colon in it. @param {string} survey */
export const keyOf = (survey) => PREFIX + survey;

/** What was drawn to be asked. @param {string} survey */
export const drawnKeyOf = (survey) => `${PREFIX}${survey}:drawn`;

/** What is kept from wave to wave. @param {string} survey */
export const wavesKeyOf = (survey) => `${PREFIX}${survey}:waves`;

/** Browsers that block storage throw already at the name of it. */
export function openStorage() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

/**
 * Whether something can be kept: some browsers throw only when it is.
 *
 * @param {Storage} storage
 */
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
 * The surveys of which this device remembers anything.
 *
 * @param {Storage} storage
 * @returns {string[]}
 */
export function surveysIn(storage) {
  return [...new Set(Object.keys(storage).flatMap((key) => surveyOf(key) ?? []))];
}

/**
 * Remove everything that this device remembers of a survey, or of all of them.
 *
 * @param {Storage} storage
 * @param {string} [survey]
 */
export function forget(storage, survey) {
  for (const key of Object.keys(storage)) {
    const name = surveyOf(key);
    if (name !== undefined && (survey ?? name) === name) storage.removeItem(key);
  }
}

/** @param {string} key @returns {string | undefined} nothing where it is not ours */
function surveyOf(key) {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length).split(":")[0] : undefined;
}
