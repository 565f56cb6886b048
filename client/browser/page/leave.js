/** Loaded first, by every page that names a survey: it can be left at once, whatever else fails. */

import { openStorage } from "../core/storage.js";
import { armExit } from "./exit.js";

armExit(openStorage());

addEventListener(
  "error",
  ({ target }) => {
    // What was only to be fetched early is fetched again.
    if (target instanceof HTMLLinkElement) return;
    /** @type {NodeListOf<HTMLElement>} */
    const places = document.querySelectorAll("[data-screen=starting]");
    for (const { dataset } of places) dataset.screen = "failed";
  },
  true,
);
