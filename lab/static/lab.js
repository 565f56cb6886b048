/**
 * A page of the lab answers at once: whatever is turned, the numbers and pictures follow, and the
 * address keeps the state. Without this script the page is a form.
 */

import { ask, form, query, setAsAddressed } from "./asking.js";
import { show as drawPicture } from "./drawing.js";
import { found, make, tableParts, valueOf, written } from "./elements.js";
import { askForGuess, checkExercises } from "./guessing.js";

/** What is shown. @type {LabAnswer | null} */
let shown = null;

/**
 * @param {string} label
 * @param {string} id of the figure whose caption names the table
 * @param {Node[]} parts
 */
function scrolling(label, id, parts = []) {
  const group = { class: "scroll", tabindex: 0, role: "group", "aria-label": label };
  return make("div", group, make("table", { "aria-labelledby": `about-${id}` }, ...parts));
}

/** @param {LabRecords} records */
function recordsFigure({ id, caption, table, marked }) {
  const [head, body] = tableParts(table);
  for (const place of marked) body.children[place].classList.add("marked");
  return make(
    "figure",
    { class: "card", "data-records": id },
    make("figcaption", { id: `about-${id}` }, caption),
    scrolling("Table", id, [head, body]),
  );
}

/** @param {LabPicture} picture */
function newFigure({ id }) {
  return make(
    "figure",
    { class: "card", "data-picture": id },
    make("figcaption", { id: `about-${id}` }),
    make("div", { class: "drawing" }),
    make("details", {}, make("summary", {}, "The same in numbers"), scrolling("Numbers", id)),
  );
}

/** @param {LabPicture} picture */
function showPicture(picture) {
  const all = found("pictures", HTMLElement);
  const old = all.querySelector(`[data-picture="${picture.id}"]`);
  const figure = old ?? all.appendChild(newFigure(picture));
  const part = (/** @type {string} */ tag) =>
    /** @type {HTMLElement} */ (figure.querySelector(tag));
  part("figcaption").textContent = picture.caption;
  part("table").replaceChildren(...tableParts(picture.table));
  drawPicture(picture, part(".drawing"));
}

/** @param {LabAnswer} answer */
function show(answer) {
  shown = answer;
  found("said", HTMLElement).replaceChildren(...answer.said.map((one) => make("p", {}, one)));
  found("values", HTMLElement).replaceChildren(
    ...answer.values.map(({ name, label, text }) =>
      make("div", { "data-value": name }, make("dt", {}, label), make("dd", {}, text)),
    ),
  );
  found("records", HTMLElement).replaceChildren(...answer.records.map(recordsFigure));
  const ids = new Set(answer.pictures.map(({ id }) => id));
  for (const figure of document.querySelectorAll("figure[data-picture]")) {
    if (!ids.has(`${figure.getAttribute("data-picture")}`)) figure.remove();
  }
  answer.pictures.forEach(showPicture);
  found("code", HTMLElement).textContent = answer.code;
}

/** Show where the sliders stand, and only those that matter. */
function showSettings() {
  for (const output of form.querySelectorAll("output")) {
    const input = form.elements.namedItem(output.htmlFor.value);
    output.value = input instanceof HTMLInputElement ? written(valueOf(input)) : "";
  }
  for (const label of form.querySelectorAll("[data-only]")) {
    const [name, option] = `${label.getAttribute("data-only")}`.split("=");
    const choice = form.elements.namedItem(name);
    label.toggleAttribute("hidden", choice instanceof HTMLSelectElement && choice.value !== option);
  }
  const seed = form.elements.namedItem("seed");
  found("new-data", HTMLElement).hidden = !(seed instanceof Element) || !!seed.closest("[hidden]");
}

/** Ask for what is set, and show it; again, as long as something else was set meanwhile. */
async function follow() {
  const asked = query();
  const trouble = found("trouble", HTMLElement);
  try {
    const answer = await ask(asked);
    trouble.hidden = true;
    history.replaceState(null, "", `?${asked}`);
    show(answer);
    form.dataset.shown = asked;
  } catch {
    trouble.textContent =
      form.dataset.file === undefined
        ? "The server did not answer. Turn something to try again."
        : "This copy does not know these settings. Turn something back, or start again.";
    trouble.hidden = false;
  }
  if (query() !== asked) await follow();
}

/** Whether an answer is on its way: one at a time, however fast a slider is drawn. */
let following = false;

async function update() {
  showSettings();
  if (following) return;
  following = true;
  await follow();
  following = false;
}

function newData() {
  const seed = form.elements.namedItem("seed");
  if (!(seed instanceof HTMLInputElement)) return;
  const [first, last] = [Number(seed.min), Number(seed.max)];
  seed.value = `${seed.valueAsNumber === last ? first : seed.valueAsNumber + 1}`;
  update();
}

function start() {
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
  form.querySelector("button.show")?.remove();
  found("new-data", HTMLButtonElement).addEventListener("click", newData);
  let width = 0;
  new ResizeObserver(() => {
    const now = found("pictures", HTMLElement).clientWidth;
    if (now !== width && shown) shown.pictures.forEach(showPicture);
    width = now;
  }).observe(found("pictures", HTMLElement));
  checkExercises();
  setAsAddressed();
  askForGuess(update);
}

start();
