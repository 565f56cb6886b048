/**
 * One question for the visitor, so that chance is met before it is explained. The answer stays in
 * this page, among those of simulated people.
 */

import { show } from "./drawing.js";
import { found, written } from "./elements.js";

/** Of 2^32 words, those with which the other answer is sent: one in four. */
const FLIPPED = 2 ** 30;

const ACROSS = 10;

const NAMES = ["no", "yes"];

const words = (/** @type {number} */ count) => crypto.getRandomValues(new Uint32Array(count));

/** Send truths by two coins; 1 is a yes. @param {number[]} truths */
export function sent(truths, drawn = words(truths.length)) {
  return truths.map((truth, place) => (drawn[place] < FLIPPED ? 1 - truth : truth));
}

/** So many people, of whom one in ten has a yes, in no order. @param {number} count */
export function crowd(count) {
  const people = [...words(count)].map((word, place) => ({ word, truth: Number(place % 10 > 8) }));
  return people.sort((one, other) => one.word - other.word).map(({ truth }) => truth);
}

/** The share of yes with the chance taken out, in percent, and the ends of its interval. @param {number[]} reports */
export function estimated(reports) {
  const yes = reports.filter((report) => report === 1).length;
  const share = yes / reports.length;
  const reach = (1.96 * Math.sqrt((share * (1 - share)) / reports.length)) / 0.5;
  const middle = (share - 0.25) / 0.5;
  return { yes, percent: [middle, middle - reach, middle + reach].map((one) => one * 100) };
}

/** @param {number[]} reports @param {number} digits */
function inWords(reports, digits) {
  const [middle, low, high] = estimated(reports).percent.map((one) => written(one.toFixed(digits)));
  return `${middle}\u00a0%, between ${low} and ${high}\u00a0%`;
}

/**
 * Some of the hundred people, who stand row by row.
 * @param {string} name
 * @param {"dots" | "rings"} mark
 * @param {number} tone
 * @param {number[]} places
 * @returns {LabSeries}
 */
const people = (name, mark, tone, places) => ({
  ...{ name, mark, tone },
  x: places.map((place) => place % ACROSS),
  y: places.map((place) => -Math.floor(place / ACROSS)),
});

/** @param {string} caption @param {LabSeries[]} series */
function draw(caption, series) {
  const ends = { x_range: [-1, ACROSS], y_range: [-ACROSS, 1], logarithmic: false };
  const picture = { id: "reports", caption, x: "", y: "", series, ...ends };
  show(/** @type {LabPicture} */ (picture), found("reports", HTMLElement));
}

/** @param {number[]} reports */
function drawReports(reports) {
  /** @param {"dots" | "rings"} mark @param {number} said */
  const those = (mark, said) => {
    const places = [...reports.keys()].filter((place) => reports[place] === said);
    return people(`sent “${NAMES[said]}”`, mark, 1, places);
  };
  const caption = "100 reports, of which the first is yours. A full dot is a “yes”.";
  draw(caption, [those("dots", 1), those("rings", 0)]);
}

/** @param {number} truth */
function answer(truth) {
  const reports = sent([truth, ...crowd(99)]);
  const { yes, percent } = estimated(reports);
  const [own, all, many] = found("came", HTMLElement).querySelectorAll("p");
  own.textContent =
    `Your report is “${NAMES[reports[0]]}”. Chance ` +
    `${reports[0] === truth ? "kept" : "changed"} your answer.`;
  all.textContent =
    "The picture has your report first, then those of 99 simulated people, 9 of whom have a 3. " +
    `${yes} of the 100 say “yes”. Without the noise, that is ${inWords(reports, 0)}` +
    `${percent[0] < 0 ? ": less than none, which chance can cause" : ""}.`;
  many.textContent =
    "With 10,000 simulated people, of whom one in ten has a 3, it is " +
    `${inWords(sent(crowd(10_000)), 1)}. More people tell more of the share, and nothing of you.`;
  found("came", HTMLElement).hidden = false;
  drawReports(reports);
}

/** Let the visitor answer, as often as they like. */
export function letTry() {
  draw("100 people, of whom you are the first. Nobody has sent anything yet.", [
    people("you", "dots", 4, [0]),
    people(
      "others, who have not sent yet",
      "rings",
      2,
      [...Array(99).keys()].map((one) => one + 1),
    ),
  ]);
  found("no", HTMLButtonElement).addEventListener("click", () => answer(0));
  found("yes", HTMLButtonElement).addEventListener("click", () => answer(1));
}
