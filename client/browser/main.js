/** Where the page starts: this device's randomness, storage and place on the page. */

import { armExit } from "./exit.js";
import { openPage } from "./page.js";
import { openStorage } from "./storage.js";

const root = document.getElementById("survey");
if (root !== null) {
  const storage = openStorage();
  armExit(storage);
  // Not waited for: what the page loads later can be loaded only once this program has run.
  void openPage({
    root,
    randomness: (words) => {
      crypto.getRandomValues(words);
    },
    storage,
  });
}
