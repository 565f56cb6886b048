/** What the page asks of the server, and the answers so far: none is asked for twice. */

/** How far ahead of a slider: a step on either side, and then another one. */
const AHEAD = [1, -1, 2, -2];

/** @type {Map<string, LabAnswer>} */
const answers = new Map();

export const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-lab]"));

/**
 * What is set; the cells of a table together, as one word.
 * @param {HTMLInputElement} [instead] of the one of its name
 */
export function query(instead) {
  const together = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    together.set(name, `${together.get(name) ?? ""}${value}`);
  }
  if (instead) together.set(instead.name, instead.value);
  return together.toString();
}

/** @param {string} asked @returns {Promise<LabAnswer>} */
export async function ask(asked) {
  const known = answers.get(asked);
  if (known) return known;
  const response = await fetch(`/lab/${form.dataset.lab}.json?${asked}`);
  if (!response.ok) throw new Error(`${response.status}`);
  const answer = await response.json();
  answers.set(asked, answer);
  return answer;
}

/**
 * Ask for what a slider comes to next, so that it then answers at once.
 * @param {HTMLInputElement} slider
 * @param {() => boolean} isOver whether something else is asked for by now
 */
export async function askAhead(slider, isOver) {
  for (const steps of AHEAD) {
    const next = /** @type {HTMLInputElement} */ (slider.cloneNode());
    next.stepUp(steps);
    if (isOver()) return;
    await ask(query(next)).catch(() => undefined);
  }
  form.dataset.ahead = query();
}
