/** Where the page starts: this device's randomness, storage and place on the page. */

import { openPage } from "./page.js";

const root = document.getElementById("survey");
if (root !== null) {
  await openPage({
    root,
    randomness: (words) => {
      crypto.getRandomValues(words);
    },
    storage: openStorage(),
  });
}

/** Browsers that block storage throw already at the name of it. */
function openStorage() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
