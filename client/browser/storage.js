/** This device's storage, where the browser allows it. */

/** Browsers that block storage throw already at the name of it. */
export function openStorage() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
