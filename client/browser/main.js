/** Where the page starts: this device's randomness, storage and place on the page. */

import { armExit } from "./exit.js";
import { openPage } from "./page.js";
import { openStorage } from "./storage.js";

const root = document.getElementById("survey");
if (root !== null) {
  const storage = openStorage();
  armExit(root.dataset.survey?.split("/").pop() ?? "", storage);
  await openPage({
    root,
    randomness: (words) => {
      crypto.getRandomValues(words);
    },
    storage,
  });
}
