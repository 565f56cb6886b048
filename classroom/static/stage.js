/** A scene in, a picture out: the same for the projector and for the presenter's preview. */

import { found, make } from "../../lab/static/elements.js";
import { showDots } from "./dots.js";
import { showLines } from "./lines.js";
import { showRows } from "./rows.js";

/** @param {StageScene["table"]} table */
function rowsOf(table) {
  if (table === null) return [];
  const head = table.columns.map((name) => make("th", { scope: "col" }, name));
  const body = table.rows.map(([first, ...cells]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, first),
      ...cells.map((cell) => make("td", {}, cell)),
    ),
  );
  return [make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)];
}

/** @param {StageScene["picture"]} picture @param {HTMLElement} within */
function showPicture(picture, within) {
  // Bars move where there were bars. All else is drawn anew.
  if (picture?.kind !== within.dataset.kind) within.replaceChildren();
  within.dataset.kind = picture?.kind ?? "";
  within.classList.remove("beams");
  if (picture === null) within.replaceChildren();
  else if (picture.kind === "rows") showRows(picture, within);
  else if (picture.kind === "dots") showDots(picture, within);
  else showLines(picture, within);
  // Its numbers stand in the table. Dots can be pointed at, and so are no image.
  within.setAttribute("aria-hidden", `${picture?.kind !== "dots"}`);
}

/** Whether two scenes look the same. @param {unknown} one @param {unknown} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** What is shown. @type {StageScene | null} */
let shown = null;

/** @param {StageScene} scene @param {string} language of the question and its answers */
export function show(scene, language) {
  document.body.dataset.step = scene.step;
  found("title", HTMLElement).textContent = scene.title;
  found("question", HTMLElement).textContent = scene.question;
  for (const id of ["question", "answers"]) found(id, HTMLElement).lang = language;
  found("answers", HTMLElement).replaceChildren(
    ...scene.answers.map((answer) => make("li", {}, answer)),
  );
  found("formula", HTMLElement).textContent = scene.formula;
  const waiting = scene.step === "waiting" && scene.joined !== null;
  found("count", HTMLElement).textContent = `${waiting ? scene.joined : scene.n}`;
  found("counted", HTMLElement).textContent = waiting ? "joined" : "reports";
  // Screen readers hear what changes, and nothing twice.
  if (!same(scene.said, shown?.said)) {
    found("said", HTMLElement).replaceChildren(...scene.said.map((one) => make("p", {}, one)));
  }
  if (!same(scene.picture, shown?.picture)) {
    showPicture(scene.picture, found("picture", HTMLElement));
    found("numbers", HTMLElement).replaceChildren(...rowsOf(scene.table));
  }
  shown = scene;
}
