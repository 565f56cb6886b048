/** How sure somebody could get, as bars. */

import { element } from "./dom.js";
import { atMost, COLOURS, colourOfAll } from "./odds.js";
import { svg } from "./pictures.js";
import { say } from "./say.js";

/**
 * From one answer by itself, and where that is further, from all of them.
 * @param {Sureness} found
 */
export const howSure = ({ tier, one, most }) => [
  figure(sureBar(one, COLOURS[tier]), say("From one answer by itself")),
  ...(most > one
    ? [figure(sureBar(most, colourOfAll(most)), say("If all answers point to the same thing"))]
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
