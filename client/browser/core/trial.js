/** A trial: it is answered as any survey, but what this device keeps of it goes with the page. */

/** In the place of this device's storage. @returns {Storage} */
export function storageOfPage() {
  const kept = Object.create({
    getItem: (/** @type {string} */ key) => kept[key] ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ text) => (kept[key] = text),
    removeItem: (/** @type {string} */ key) => delete kept[key],
  });
  return kept;
}
