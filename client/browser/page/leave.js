/** Loaded first, by every page that names a survey: it can be left at once, whatever else fails. */

import { openStorage } from "../core/storage.js";
import { armExit } from "./exit.js";

armExit(openStorage());

/** Say that the program has not started, where one was to start. */
function showFailed() {
  /** @type {NodeListOf<HTMLElement>} */
  const places = document.querySelectorAll("[data-screen=starting]");
  for (const { dataset } of places) dataset.screen = "failed";
}

addEventListener(
  "error",
  ({ target }) => {
    // What was only to be fetched early is fetched again.
    if (!(target instanceof HTMLLinkElement)) showFailed();
  },
  true,
);
// A browser that refuses a script within the page says so to nobody.
addEventListener("DOMContentLoaded", () => {
  if (!("start" in globalThis)) showFailed();
});
