/** One dot a report. Whoever is pointed at shows what their report tells: never what is true. */

import { make } from "../../lab/static/elements.js";
import { showRows } from "./rows.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Two kinds of dots are told apart by their colour, full and empty. @param {StageDots} picture */
const hasLetters = ({ told }) => told.length > 2;

/** @param {StageDots} picture @param {number} report */
const letter = (picture, report) => (hasLetters(picture) ? LETTERS[report % LETTERS.length] : "");

/** @param {StageDots} picture @param {number} report */
const look = (picture, report) => `dot report-${hasLetters(picture) ? "letter" : report}`;

/**
 * How many dots stand beside each other.
 * @param {number} count
 * @param {number} wide how many times as many as below each other
 */
export const across = (count, wide) => Math.max(5, Math.ceil(Math.sqrt(wide * count)));

/**
 * @param {StageDots} picture
 * @param {HTMLElement} within where the dots are
 * @param {number | null} chosen
 */
function choose(picture, within, chosen) {
  const dots = /** @type {HTMLElement[]} */ ([...within.querySelectorAll(".dots .dot")]);
  dots.forEach((dot, place) => dot.setAttribute("aria-pressed", `${place === chosen}`));
  const told = /** @type {HTMLElement} */ (within.querySelector(".teller"));
  const said = /** @type {HTMLElement} */ (told.querySelector(".said"));
  const bars = /** @type {HTMLElement} */ (told.querySelector(".bars"));
  const found = chosen === null ? undefined : picture.told[picture.reports[chosen]];
  told.dataset.report = chosen === null ? "" : `${picture.reports[chosen]}`;
  said.textContent = found?.said ?? picture.nobody;
  if (!found) return bars.replaceChildren();
  showRows(found.bars, bars);
}

/** @param {StageDots} picture @param {number} width */
function grid(picture, width) {
  const dots = picture.reports.map((report, place) =>
    make(
      "button",
      {
        type: "button",
        class: look(picture, report),
        "aria-label": `${place + 1}: ${picture.told[report].legend}`,
        "data-report": report,
      },
      letter(picture, report),
    ),
  );
  const all = make("div", { class: "dots", role: "group", "aria-label": picture.label }, ...dots);
  all.style.setProperty("--across", `${width}`);
  return all;
}

/** @param {StageDots} picture */
function legend(picture) {
  const items = picture.told.map((told, report) => {
    const sample = { class: look(picture, report), "aria-hidden": "true" };
    return make("li", {}, make("span", sample, letter(picture, report)), " ", told.legend);
  });
  return make("ul", { class: "legend" }, ...items);
}

/** @param {StageDots} picture @param {Element} within */
export function showDots(picture, within) {
  const dots = grid(picture, across(picture.reports.length, 2));
  const told = make(
    "div",
    { class: "teller" },
    make("p", { class: "said", role: "status" }),
    make("div", { class: "bars", "aria-hidden": "true" }),
  );
  const all = make("div", { class: "pointing" }, make("div", {}, dots, legend(picture)), told);
  const buttons = [...dots.children];
  dots.addEventListener("click", ({ target }) => {
    const place = buttons.indexOf(/** @type {Element} */ (target));
    if (place < 0) return;
    choose(picture, all, place);
    // Another sentence: it may need more room.
    within.dispatchEvent(new CustomEvent("told", { bubbles: true }));
    within.dispatchEvent(new CustomEvent("point", { detail: place, bubbles: true }));
  });
  within.replaceChildren(all);
  choose(picture, all, picture.chosen);
}
