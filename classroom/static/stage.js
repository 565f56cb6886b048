/** What a meeting shows, as it happens: the same for the projector and for the presenter's preview. */

import { found, make } from "../../lab/static/elements.js";
import { showCrowd } from "./crowd.js";
import { showDots } from "./dots.js";
import { showRows } from "./rows.js";
import { showCoins } from "./toss.js";

/** @param {StageScene["picture"]} picture @param {HTMLElement} within @param {boolean} isNew */
function showPicture(picture, within, isNew) {
  // Bars move where there were bars, and a crowd grows. All else is drawn anew.
  if (picture?.kind !== within.dataset.kind) within.replaceChildren();
  within.dataset.kind = picture?.kind ?? "";
  within.classList.remove("beams");
  within.removeAttribute("data-people");
  if (picture === null) within.replaceChildren();
  else if (picture.kind === "rows") showRows(picture, within, isNew);
  else if (picture.kind === "crowd") showCrowd(picture, within);
  else if (picture.kind === "coins") showCoins(picture, within);
  else showDots(picture, within);
}

/** Whether two scenes look the same. @param {unknown} one @param {unknown} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** What is shown. @type {StageScene | null} */
let shown = null;

/** @param {StageMoment} moment */
function show(moment) {
  const { scene, count, counted, full, language, spoken } = moment;
  // The rest of the page comes in another language from the server.
  if (spoken !== document.documentElement.lang) location.reload();
  document.body.dataset.step = scene.step;
  document.body.dataset.layout = scene.layout;
  document.body.toggleAttribute("data-full", full);
  found("title", HTMLElement).textContent = scene.title;
  found("question", HTMLElement).textContent = scene.question;
  for (const id of ["question", "answers"]) found(id, HTMLElement).lang = language;
  found("answers", HTMLElement).replaceChildren(
    ...scene.answers.map((answer) => make("li", {}, answer)),
  );
  found("formula", HTMLElement).textContent = scene.formula;
  found("count", HTMLElement).textContent = `${count}`;
  found("counted", HTMLElement).textContent = counted;
  // Screen readers hear what changes, and nothing twice.
  if (!same(scene.said, shown?.said)) {
    found("said", HTMLElement).replaceChildren(...scene.said.map((one) => make("p", {}, one)));
  }
  if (!same(scene.picture, shown?.picture)) {
    showPicture(scene.picture, found("picture", HTMLElement), scene.step !== shown?.step);
  }
  shown = scene;
}

/** Milliseconds between two looks, and how long one may take. */
const EVERY = 500;
const PATIENCE = 8000;

/** Say that the meeting is over, and nothing else of it: what it showed is deleted. */
function end() {
  const over = found("over", HTMLElement);
  over.hidden = false;
  document.querySelector("body > header")?.remove();
  found("content", HTMLElement).replaceChildren(over);
}

/**
 * Show each moment, and tell of it; say when the server does not answer.
 * @param {HTMLElement} main which names the address @param {(moment: StageMoment) => void} hear
 */
export async function follow({ dataset }, hear) {
  let last = "";
  for (;;) {
    let connected = false;
    try {
      const response = await fetch(`${dataset.poll}`, { signal: AbortSignal.timeout(PATIENCE) });
      if (response.status === 404) return end();
      const now = response.ok ? await response.text() : "";
      connected = now !== "";
      if (connected && now !== last) {
        const moment = JSON.parse(now);
        show(moment);
        hear(moment);
      }
      last = now || last;
    } catch {
      // the next look may find it again
    }
    found("trouble", HTMLElement).hidden = connected;
    await new Promise((wake) => setTimeout(wake, EVERY));
  }
}
