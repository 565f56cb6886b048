/** A hundred made-up people, whose reports are drawn here by the sampler that respondents run. */

import { sample } from "../../client/browser/core/channel.js";
import { draw, found, written } from "./elements.js";

const ACROSS = 10;
const APART = 22;

/**
 * Draw a report for each person.
 * @param {LabCrowd} crowd
 * @returns {{truth: number, report: number}[]}
 */
export function reports({ weights, people }) {
  const truths = people.flatMap((count, truth) => Array(count).fill(truth));
  const words = crypto.getRandomValues(new Uint32Array(truths.length));
  return truths.map((truth, place) => ({ truth, report: sample(weights, truth, words[place]) }));
}

/**
 * Count, estimate and say what came.
 * @param {LabCrowd} crowd
 * @param {{truth: number, report: number}[]} drawn
 */
export function tally({ contributions, truth, names }, drawn) {
  const of = (/** @type {(one: {truth: number, report: number}) => boolean} */ which) =>
    drawn.filter(which).length;
  const have = of((one) => one.truth === truth);
  const both = of((one) => one.truth === truth && one.report === truth);
  const sent = of((one) => one.report === truth);
  const mean = drawn.reduce((sum, { report }) => sum + contributions[report], 0) / drawn.length;
  const estimate = written((100 * mean).toFixed(1));
  const [name, others] = [names[truth], drawn.length - have];
  return (
    `“${name}” is true of ${have} people: ${both} of them sent it. So did ${sent - both} of the ` +
    `${others} others. ${sent} in ${drawn.length} reports are “${name}”, and the estimate is ` +
    `${estimate} %.`
  );
}

/** Nothing moves for those who want no motion. @param {Element} part @param {Keyframe[]} frames @param {number} delay */
function animate(part, frames, delay) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  part.animate(frames, { duration: 1200, delay, easing: "ease-out", fill: "backwards" });
}

/**
 * Let each report fly through a coin, in the middle above all, before it is where it is.
 * @param {Element} dot
 * @param {number} place
 */
function toss(dot, place) {
  const [x, y] = ["cx", "cy"].map((name) => Number(dot.getAttribute(name)));
  const coin = `translate(${(ACROSS * APART) / 2 - x}px, ${-APART - y}px)`;
  animate(
    dot,
    [
      { fillOpacity: 0, transform: "none" },
      { fillOpacity: 0, transform: coin, offset: 0.5 },
      { transform: `${coin} scaleX(0.1)`, offset: 0.6 },
      { transform: "none" },
    ],
    place * 20,
  );
}

/**
 * @param {LabCrowd | null} crowd
 * @param {boolean} [moving] whether the reports are seen to be drawn
 */
export function show(crowd, moving = false) {
  found("crowd", HTMLElement).hidden = crowd === null;
  if (crowd === null) return;
  const drawn = reports(crowd);
  const rows = Math.ceil(drawn.length / ACROSS);
  const dots = drawn.map(({ truth, report }, place) =>
    draw("circle", {
      cx: (place % ACROSS) * APART + APART / 2,
      cy: Math.floor(place / ACROSS) * APART + APART / 2,
      r: 8,
      class: [report === crowd.truth ? "sent" : "", truth === crowd.truth ? "true" : ""].join(" "),
    }),
  );
  if (moving) dots.forEach(toss);
  const said = tally(crowd, drawn);
  const name = crowd.names[crowd.truth];
  const box = `0 0 ${ACROSS * APART} ${rows * APART}`;
  found("people", HTMLElement).replaceChildren(
    draw("svg", { viewBox: box, role: "img", "aria-label": said, class: "people" }, ...dots),
    `Filled: sent “${name}”. Thick ring: “${name}” is true. Nobody but you sees the rings.`,
  );
  found("tally", HTMLElement).textContent = said;
}
