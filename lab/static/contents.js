/** The contents: for each chapter the first picture of its first page. */

import { sketch } from "./drawing.js";

for (const place of document.querySelectorAll(".sketch")) {
  if (place instanceof HTMLElement) place.append(sketch(JSON.parse(`${place.dataset.drawn}`)));
}
