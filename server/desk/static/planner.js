/** The planner's sliders: each moves the number beside it, and the tables follow. */

import { keepEarlier } from "./earlier.js";

const WAIT = 250; // milliseconds after the last move
const STEPS = 200; // of a slider

const form = /** @type {HTMLFormElement} */ (document.getElementById("planner"));
const renewed = /** @type {HTMLElement} */ (document.getElementById("renewed"));

/** @type {XMLHttpRequest | undefined} */
let asking;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/**
 * How a number and the place of its slider follow from each other: by sums, or by factors.
 * @param {HTMLInputElement} number
 */
function scale(number) {
  const isFactor = number.dataset.slider === "factor";
  const [flat, back] = isFactor ? [Math.log, Math.exp] : [Number, Number];
  const [least, most] = [flat(Number(number.min)), flat(Number(number.max))];
  return {
    /** @param {number} place */
    at: (place) => back(least + ((most - least) * place) / STEPS),
    /** @param {number} value */
    of: (value) => (STEPS * (flat(value) - least)) / (most - least),
  };
}

/**
 * A number that is short to read, and whole where it has to be.
 * @param {number} value
 * @param {HTMLInputElement} number
 */
function written(value, number) {
  const short = Number(value.toPrecision(2 + Number(value >= 1)));
  return String(number.step === "1" ? Math.round(short) : short);
}

/**
 * Put a slider beside a number.
 * @param {HTMLInputElement} number
 */
function slide(number) {
  const slider = document.createElement("input");
  const { at, of } = scale(number);
  slider.type = "range";
  slider.min = "0";
  slider.max = String(STEPS);
  slider.setAttribute("aria-label", `${number.labels?.[0]?.textContent.trim() ?? ""}, as a slider`);
  const follow = () => {
    const place = of(Number(number.value));
    slider.value = String(Math.min(Math.max(Math.round(place), 0), STEPS));
    slider.setAttribute("aria-valuetext", number.value);
  };
  slider.addEventListener("input", () => {
    number.value = written(at(Number(slider.value)), number);
    slider.setAttribute("aria-valuetext", number.value);
  });
  number.addEventListener("input", follow);
  follow();
  number.after(slider);
}

/** The address of what is chosen now. */
function address() {
  const url = new URL(form.action || location.href);
  url.search = new URLSearchParams(
    [...new FormData(form)].map(([name, value]) => [name, String(value)]),
  ).toString();
  return url;
}

/** Ask for the page of what is chosen now, and take its tables. */
function renew() {
  const url = address();
  asking?.abort();
  renewed.textContent = "Calculating …";
  const request = new XMLHttpRequest();
  asking = request;
  // The browser reads the page, so no text of a survey goes through a script.
  request.responseType = "document";
  request.addEventListener("load", () => {
    const found = request.responseXML?.getElementById("planned");
    if (!found) {
      location.assign(url); // such as where the session has ended
      return;
    }
    document.getElementById("planned")?.replaceWith(document.adoptNode(found));
    history.replaceState(null, "", url);
    renewed.textContent = "The tables show it.";
  });
  request.addEventListener("error", () => {
    renewed.textContent = "The desk does not answer.";
  });
  request.open("GET", url);
  request.send();
}

/** Wait for the last of several moves. */
function soon() {
  renewed.textContent = "";
  clearTimeout(waiting);
  waiting = setTimeout(renew, WAIT);
}

for (const number of form.querySelectorAll("input[data-slider]")) {
  slide(/** @type {HTMLInputElement} */ (number));
}
keepEarlier();
form.addEventListener("input", soon);
form.addEventListener("change", ({ target }) => target instanceof HTMLSelectElement && soon());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  renew();
});
