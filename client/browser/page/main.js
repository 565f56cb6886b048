/** Where the program starts. What it consists of stands in contents.js. */

import { deviceRandomness } from "../core/chance.js";
import { openStorage } from "../core/storage.js";
import { showLedger } from "./device.js";
import { findLanguage } from "./language.js";
import { waitIn } from "./meeting.js";
import { openPage } from "./page.js";

function start() {
  const storage = openStorage();
  // A page that speaks English only has no other words.
  if (typeof WORDS !== "undefined") findLanguage();
  const survey = document.getElementById("page-survey");
  if (survey !== null) {
    void openPage({ root: survey, randomness: deviceRandomness, storage, tab: window });
  }
  const meeting = document.getElementById("meeting");
  if (meeting !== null) waitIn(meeting, storage);
  const ledger = document.getElementById("ledger");
  if (ledger !== null) showLedger(ledger, storage);
}

// When all of the page was read, also where the program stands in the page itself.
addEventListener("DOMContentLoaded", start);
