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

const draw = (/** @type {number} */ count) => crypto.getRandomValues(new Uint32Array(count));

/** Send truths by two coins; 1 is a yes. @param {number[]} truths */
export function sent(truths, words = draw(truths.length)) {
  return truths.map((truth, place) => (words[place] < FLIPPED ? 1 - truth : truth));
}

/** So many people, of whom one in ten has a yes, in no order. @param {number} count */
export function crowd(count) {
  const people = [...draw(count)].map((word, place) => ({ word, truth: Number(place % 10 > 8) }));
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

/** @param {number[]} reports @returns {LabPicture} */
function picture(reports) {
  /** @param {"dots" | "rings"} mark @param {number} said @returns {LabSeries} */
  const series = (mark, said) => {
    const those = [...reports.keys()].filter((place) => reports[place] === said);
    const x = those.map((place) => place % ACROSS);
    const y = those.map((place) => -Math.floor(place / ACROSS));
    return { name: `sent “${NAMES[said]}”`, mark, x, y, tone: 1 };
  };
  return {
    id: "reports",
    caption: "100 reports, of which the first is yours. A full dot is a “yes”.",
    x: "",
    y: "",
    series: [series("dots", 1), series("rings", 0)],
    x_range: [-1, ACROSS],
    y_range: [-ACROSS, 1],
    logarithmic: false,
  };
}

/** @param {number} truth */
function answer(truth) {
  const reports = sent([truth, ...crowd(99)]);
  const { yes, percent } = estimated(reports);
  const [own, all, many] = found("came", HTMLElement).querySelectorAll("p");
  own.textContent =
    `Your report is “${NAMES[reports[0]]}”. Chance ` +
    `${reports[0] === truth ? "kept" : "changed"} your answer. ` +
    "It changes one in four, so a report is only a hint about a person.";
  all.textContent =
    "The picture has your report first, then those of 99 simulated people, 9 of whom have a 3. " +
    `${yes} of the 100 say “yes”. Without the noise, that is ${inWords(reports, 0)}` +
    `${percent[0] < 0 ? ": less than none, which chance can cause" : ""}.`;
  many.textContent =
    "With 10,000 simulated people, of whom one in ten has a 3, it is " +
    `${inWords(sent(crowd(10_000)), 1)}. More people tell more of the share, and nothing of you.`;
  found("came", HTMLElement).hidden = false;
  show(picture(reports), found("reports", HTMLElement));
}

/** Let the visitor answer, as often as they like. */
export function letTry() {
  found("try", HTMLElement).hidden = false;
  found("no", HTMLButtonElement).addEventListener("click", () => answer(0));
  found("yes", HTMLButtonElement).addEventListener("click", () => answer(1));
}
