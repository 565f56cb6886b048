/** Bars along one axis. A bar that was here before moves to where it is now. */

import { make } from "../../lab/static/elements.js";
import { move } from "./motion.js";

/** Of how many people each can still be seen. */
const MOST_PEOPLE = 60;

/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)} %`.replace("-", "−");

/**
 * Where the axis has its marks, at shares that are easy to name.
 * @param {number} low
 * @param {number} high
 * @param {number} most how many there is room for
 */
export function ticks(low, high, most) {
  const step = [0.25, 0.5, 1, 2, 5].find((one) => (high - low) / one <= most) ?? 10;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, at) => (first + at) * step);
}

/**
 * @param {StageRows} picture
 * @param {number} from
 * @param {number} to
 */
function span({ low, high }, from, to) {
  const at = (/** @type {number} */ value) => (100 * (value - low)) / (high - low);
  return { left: `${at(Math.min(from, to))}%`, width: `${Math.abs(at(to) - at(from))}%` };
}

/**
 * @param {HTMLElement} element
 * @param {StageRows} picture
 * @param {number} from
 * @param {number} [to]
 */
function place(element, picture, from, to) {
  const { left, width } = span(picture, from, to ?? from);
  element.style.left = left;
  if (to !== undefined) element.style.width = width;
}

/** @param {string} id */
function newRow(id) {
  const parts = ["reach", "chance", "before", "interval", "across", "guesses"].map((name) =>
    make("div", { class: name }),
  );
  const row = make(
    "div",
    { class: "beam", "data-row": id },
    make("p", { class: "name" }),
    make("div", { class: "lane", "aria-hidden": "true" }, make("div", { class: "zero" }), ...parts),
    make("p", { class: "value" }, make("span"), make("span", { class: "unseen" })),
    // Beside no axis, on which they would seem to have places.
    make("div", { class: "reports", "aria-hidden": "true" }),
  );
  return row;
}

/**
 * @param {HTMLElement} row
 * @param {StageRow} shown
 * @param {StageRows} picture
 */
function fill(row, shown, picture) {
  const part = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (row.querySelector(`.${name}`));
  row.dataset.tone = shown.tone;
  row.dataset.value = `${shown.value}`;
  row.toggleAttribute("data-copies", shown.copies);
  part("name").textContent = shown.name;
  const [value, ends] = part("value").children;
  value.textContent = shown.text;
  ends.textContent = ` ${shown.ends}`;
  place(part("zero"), picture, 0);
  place(part("reach"), picture, 0, shown.value);
  // Of what is nearly nothing a stub is seen.
  part("reach").style.minWidth = shown.value > 0 ? "0.3rem" : "";
  // Its round end is the one that is not at 0.
  part("reach").style.scale = shown.value < 0 ? "-1 1" : "";
  part("before").hidden = shown.before === null;
  if (shown.before !== null) outlined(part("before"), picture, shown.before, shown.value);
  part("interval").hidden = shown.low === null || shown.high === null;
  if (shown.low !== null && shown.high !== null) {
    place(part("interval"), picture, shown.low, shown.high);
  }
  part("guesses").replaceChildren(...guessed(shown.guesses, picture));
  part("reports").replaceChildren(
    ...shown.reports.map((names) => make("span", { class: names ? "dot report-1" : "dot" })),
  );
  part("across").hidden = picture.mark === null || !shown.crossed;
  if (picture.mark !== null) place(part("across"), picture, picture.mark);
}

/**
 * What was before: an outline beyond the bar, or a line across it.
 * @param {HTMLElement} before
 * @param {StageRows} picture
 * @param {number} end
 * @param {number} value
 */
function outlined(before, picture, end, value) {
  const from = Math.min(end, Math.max(0, value));
  place(before, picture, from, end);
  before.style.borderStyle = from < end ? "dashed dashed dashed none" : "none dashed none none";
}

/**
 * A dot for each guess, above those who guessed the same.
 * @param {number[]} guesses in order of size
 * @param {StageRows} picture
 */
function guessed(guesses, picture) {
  const height = (/** @type {number} */ at) => at - guesses.indexOf(guesses[at]);
  const highest = Math.max(5, ...guesses.map((_, at) => height(at) + 1));
  return guesses.map((guess, at) => {
    const dot = make("span");
    place(dot, picture, guess);
    dot.style.bottom = `${(100 * height(at)) / highest}%`;
    return dot;
  });
}

/**
 * What chance made slides out of the bar; what is left moves to 0, and is stretched.
 * @param {HTMLElement} row
 * @param {StageRow} shown
 * @param {StageRows} picture
 */
function unmix(row, { before, noise, value }, picture) {
  if (before === null || noise === null) return;
  const [reach, chance] = /** @type {NodeListOf<HTMLElement>} */ (
    row.querySelectorAll(".reach, .chance")
  );
  place(chance, picture, 0, noise);
  const there = { transform: "none", opacity: 1 };
  const gone = { transform: "translateY(60%)", opacity: 0 };
  move(chance, [there, { ...there, offset: 0.25 }, { ...gone, offset: 0.5 }, gone], {
    duration: 5000,
  });
  const rest = span(picture, noise, before);
  const left = span(picture, 0, before - noise);
  const frames = [rest, { ...rest, offset: 0.5 }, { ...left, offset: 0.75 }];
  move(reach, [...frames, span(picture, 0, value)], { duration: 5000 });
}

/** @param {StageRows} picture @param {Element} within */
function axis(picture, within) {
  const lane = within.querySelector(".lane")?.clientWidth ?? 0;
  const room = lane / parseFloat(getComputedStyle(within).fontSize) / 4;
  const marks = ticks(picture.low, picture.high, Math.max(1, Math.floor(room))).map((tick) => {
    const mark = make("span", {}, percent(tick));
    place(mark, picture, tick);
    return mark;
  });
  return make(
    "div",
    { class: "beam scale", "aria-hidden": "true" },
    make("p"),
    make("div", { class: "lane" }, ...marks),
  );
}

/** A line below the axis. @param {HTMLElement} said */
const below = (said) =>
  make("div", { class: "beam scale" }, make("p"), make("div", { class: "lane" }, said));

/** What a dashed outline is. @param {StageRows} picture */
const meaningOfOutline = ({ outline }) =>
  outline ? [below(make("span", { class: "key" }, make("i", { class: "before" }), outline))] : [];

/** What the line across all bars is, beside its end. @param {StageRows} picture */
function meaning(picture) {
  if (picture.mark === null || !picture.mark_text) return [];
  // It begins at the line, or ends there in the right half.
  const ends = 2 * picture.mark > picture.high + picture.low;
  // Isolated, as words from right to left would change places with the line.
  const text = `\u2068${picture.mark_text}\u2069`;
  const said = make("span", {}, ends ? `${text} ┆` : `┆ ${text}`);
  place(said, picture, picture.mark);
  said.style.transform = ends ? "translateX(-100%)" : "none";
  return [below(said)];
}

/**
 * @param {StageRows} picture
 * @param {HTMLElement} within
 * @param {boolean} [isNew] whether its step begins
 */
export function showRows(picture, within, isNew = false) {
  within.classList.add("beams");
  within.style.setProperty("--rows", `${picture.rows.length}`);
  within.style.setProperty("--people", `${picture.people * (picture.high - picture.low)}`);
  within.style.setProperty("--across", `${picture.reports}`);
  within.toggleAttribute("data-people", picture.people > 0 && picture.people <= MOST_PEOPLE);
  const old = [.../** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll("[data-row]"))];
  const known = new Map(old.map((row) => [row.dataset.row, row]));
  const rows = picture.rows.map((shown) => known.get(shown.id) ?? newRow(shown.id));
  // The others go; those that stay are not taken out, or they would not be seen to move.
  for (const child of [...within.children]) {
    if (!rows.includes(/** @type {HTMLElement} */ (child))) child.remove();
  }
  rows.forEach((row, at) => {
    if (within.children[at] !== row) within.insertBefore(row, within.children[at] ?? null);
  });
  picture.rows.forEach((shown, at) => {
    fill(rows[at], shown, picture);
    if (isNew) unmix(rows[at], shown, picture);
  });
  // People are counted, and have no percent.
  if (!picture.people) within.append(axis(picture, within));
  within.append(...meaning(picture), ...meaningOfOutline(picture));
}
