/** How sure somebody could get, as bars. */

import { element } from "./dom.js";
import { atMost, COLOURS, colourOfAll } from "./odds.js";
import { svg } from "./pictures.js";
import { say } from "./say.js";

/**
 * From one answer by itself; where that is further, from all of them, and from those of all waves.
 * @param {Sureness} found
 */
export const howSure = ({ tier, one, all, changing = 0 }) => [
  figure(sureBar(one, COLOURS[tier]), say("From one answer by itself")),
  ...(all > one
    ? [figure(sureBar(all, colourOfAll(all)), say("If all answers point to the same thing"))]
    : []),
  ...(changing > all
    ? [figure(sureBar(changing, colourOfAll(changing)), say("If answers change between waves"))]
    : []),
];

/** @param {Node} picture @param {string} caption */
const figure = (picture, caption) =>
  element("figure", {}, element("figcaption", {}, caption), picture);

/** From 50:50 to where somebody can get at most. @param {number} inHundred @param {Colour} colour */
function sureBar(inHundred, colour) {
  const most = atMost(inHundred);
  const part = (/** @type {string} */ kind, /** @type {number} */ from, /** @type {number} */ to) =>
    svg("rect", {
      class: kind,
      x: `${3 * from}`,
      y: "26",
      width: `${3 * (to - from)}`,
      height: "18",
    });
  const label = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text) =>
    svg("text", { x: `${x}`, y: `${y}`, "text-anchor": "middle" }, text);
  return svg(
    "svg",
    {
      class: "way sure",
      viewBox: "0 0 300 66",
      role: "img",
      "aria-label": `50:50 → ${most}`,
    },
    part("before", 0, 50),
    part(colour, 50, inHundred),
    part("place", 0, 100),
    label(75, 18, "50:50"),
    label(180, 62, most),
  );
}
