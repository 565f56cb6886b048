/** This device's storage, where the browser allows it, and what of it is ours. */

/** What every name under which something is kept begins with. */
export const PREFIX = "deniable:";

/** Browsers that block storage throw already at the name of it. */
export function openStorage() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

/**
 * Remove everything that this device remembers of a survey, or of all of them.
 *
 * @param {Storage} storage
 * @param {string} [survey]
 */
export function forget(storage, survey) {
  for (const key of Object.keys(storage)) {
    const [prefix, one] = key.split(":");
    if (`${prefix}:` === PREFIX && (survey ?? one) === one) storage.removeItem(key);
  }
}
