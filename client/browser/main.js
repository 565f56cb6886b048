/** Where the page starts: this device's randomness, storage and place on the page. */

import { armExit } from "./exit.js";
import { openPage } from "./page.js";
import { openStorage } from "./storage.js";

/** @param {HTMLElement} root */
async function start(root) {
  const storage = openStorage();
  armExit(storage);
  // A page that speaks English only has no other words.
  if (document.getElementById("words") !== null) {
    const { findLanguage } = await import("./language.js");
    findLanguage();
  }
  await openPage({
    root,
    randomness: (words) => {
      crypto.getRandomValues(words);
    },
    storage,
  });
}

const root = document.getElementById("survey");
// Not waited for: what the page loads later can be loaded only once this program has run.
if (root !== null) void start(root);
