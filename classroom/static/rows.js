/** Bars along one axis. A bar that was here before moves to where it is now. */

import { make } from "../../lab/static/elements.js";

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
 * @param {HTMLElement} element
 * @param {StageRows} picture
 * @param {number} from
 * @param {number} [to]
 */
function place(element, { low, high }, from, to) {
  const at = (/** @type {number} */ value) => (100 * (value - low)) / (high - low);
  element.style.left = `${at(Math.min(from, to ?? from))}%`;
  if (to !== undefined) element.style.width = `${Math.abs(at(to) - at(from))}%`;
}

/** @param {string} id */
function newRow(id) {
  const parts = ["reach", "before", "interval", "across"].map((name) =>
    make("div", { class: name }),
  );
  const row = make(
    "div",
    { class: "beam", "data-row": id },
    make("p", { class: "name" }),
    make("div", { class: "lane", "aria-hidden": "true" }, make("div", { class: "zero" }), ...parts),
    make("p", { class: "value" }, make("span"), make("span", { class: "unseen" })),
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
  part("name").textContent = shown.name;
  const [value, ends] = part("value").children;
  value.textContent = shown.text;
  ends.textContent = ` ${shown.ends}`;
  place(part("zero"), picture, 0);
  place(part("reach"), picture, 0, shown.value);
  part("before").hidden = shown.before === null;
  if (shown.before !== null) place(part("before"), picture, 0, shown.before);
  part("interval").hidden = shown.low === null || shown.high === null;
  if (shown.low !== null && shown.high !== null) {
    place(part("interval"), picture, shown.low, shown.high);
  }
  part("across").hidden = picture.mark === null;
  if (picture.mark !== null) place(part("across"), picture, picture.mark);
}

/** @param {StageRows} picture @param {Element} within */
function axis(picture, within) {
  const room = within.clientWidth / parseFloat(getComputedStyle(within).fontSize) / 7;
  const marks = ticks(picture.low, picture.high, Math.max(2, Math.floor(room))).map((tick) => {
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

/**
 * @param {StageRows} picture
 * @param {Element} within
 */
export function showRows(picture, within) {
  within.classList.add("beams");
  within.setAttribute("data-rows", `${picture.rows.length}`);
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
  picture.rows.forEach((shown, at) => fill(rows[at], shown, picture));
  within.append(axis(picture, within));
  if (picture.mark_text) within.append(make("p", { class: "legend" }, `┆ ${picture.mark_text}`));
}
