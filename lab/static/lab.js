/**
 * A page of the lab answers at once: whatever is turned, the numbers and pictures follow, and the
 * address keeps the state. Without this script the page is a form.
 */

import { ask, form, query, setAsAddressed, settings } from "./asking.js";
import { show as drawPicture } from "./drawing.js";
import { found, valueOf, written } from "./elements.js";
import { askForGuess, checkExercises, guessNow } from "./guessing.js";

/** Draw each picture from its numbers, as wide as it is there. */
function drawAll() {
  for (const figure of document.querySelectorAll("figure[data-picture]")) {
    const { drawn } = /** @type {HTMLElement} */ (figure).dataset;
    const place = /** @type {HTMLElement} */ (figure.querySelector(".drawing"));
    const guess = figure.closest("#first") ? guessNow() : undefined;
    if (figure.checkVisibility()) drawPicture(JSON.parse(`${drawn}`), place, guess);
  }
}

/** Show each part of an answer in the place of the one before. @param {Document} answer */
function show(answer) {
  const opened = [...document.querySelectorAll("[data-picture] [open]")].map(
    (one) => one.parentElement?.dataset.picture,
  );
  for (const id of ["first", "said", "values", "rest"]) {
    const part = document.importNode(/** @type {Node} */ (answer.getElementById(id)), true);
    found(id, HTMLElement).replaceChildren(...part.childNodes);
  }
  for (const id of opened) {
    document.querySelector(`[data-picture="${id}"] details`)?.setAttribute("open", "");
  }
  drawAll();
  found("code", HTMLElement).textContent = `${answer.getElementById("set")?.textContent}`;
}

/** Show where the sliders stand, and only those that matter. */
function showSettings() {
  for (const output of document.querySelectorAll(".settings output")) {
    if (!(output instanceof HTMLOutputElement)) continue;
    const input = form.elements.namedItem(output.htmlFor.value);
    if (!(input instanceof HTMLInputElement)) continue;
    const value = Number(valueOf(input));
    output.value =
      input.dataset.percent === undefined ? written(value) : `${written(100 * value)}\u00a0%`;
  }
  for (const label of document.querySelectorAll("[data-only]")) {
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
  seed.dispatchEvent(new Event("input", { bubbles: true }));
}

function start() {
  for (const part of settings) part.addEventListener("input", update);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
  form.querySelector("button.show")?.remove();
  found("new-data", HTMLButtonElement).addEventListener("click", newData);
  let width = found("first", HTMLElement).clientWidth;
  new ResizeObserver(() => {
    const now = found("first", HTMLElement).clientWidth;
    if (now !== width) drawAll();
    width = now;
  }).observe(found("first", HTMLElement));
  found("further", HTMLDetailsElement).addEventListener("toggle", drawAll);
  checkExercises();
  setAsAddressed();
  showSettings();
  askForGuess(drawAll, update);
}

start();
