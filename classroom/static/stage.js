/** A scene in, a picture out: the same for the projector and for the presenter's preview. */

import { found, make } from "../../lab/static/elements.js";
import { showDots } from "./dots.js";
import { showRows } from "./rows.js";

/** @param {StageScene["picture"]} picture @param {HTMLElement} within */
function showPicture(picture, within) {
  // Bars move where there were bars. All else is drawn anew.
  if (picture?.kind !== within.dataset.kind) within.replaceChildren();
  within.dataset.kind = picture?.kind ?? "";
  within.classList.remove("beams");
  if (picture === null) within.replaceChildren();
  else if (picture.kind === "rows") showRows(picture, within);
  else showDots(picture, within);
}

/** Whether two scenes look the same. @param {unknown} one @param {unknown} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** What is shown. @type {StageScene | null} */
let shown = null;

/** @param {StageMoment} moment */
export function show(moment) {
  const { scene, count, counted, language, spoken } = moment;
  // The rest of the page comes in another language from the server.
  if (spoken !== document.documentElement.lang) location.reload();
  document.body.dataset.step = scene.step;
  document.body.dataset.layout = scene.layout;
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
    showPicture(scene.picture, found("picture", HTMLElement));
  }
  shown = scene;
}
