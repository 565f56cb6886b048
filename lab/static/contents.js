/**
 * The contents: a question to answer, and for each chapter the first picture of its first page, as
 * that page shows it before a guess.
 */

import { sketch } from "./drawing.js";
import { letTry } from "./trying.js";

for (const place of document.querySelectorAll(".sketch")) {
  if (!(place instanceof HTMLElement)) continue;
  const { drawn, guess } = place.dataset;
  place.append(sketch(JSON.parse(`${drawn}`), JSON.parse(`${guess}`)));
}

letTry();
