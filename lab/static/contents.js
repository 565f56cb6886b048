/** The contents: a question to answer, and for each chapter the first picture of its first page. */

import { sketch } from "./drawing.js";
import { letTry } from "./trying.js";

for (const place of document.querySelectorAll(".sketch")) {
  if (place instanceof HTMLElement) place.append(sketch(JSON.parse(`${place.dataset.drawn}`)));
}

letTry();
