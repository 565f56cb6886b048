/**
 * The presenter's page works as forms do. This script keeps its count and its preview up to date,
 * and takes a dot that is clicked to the projector.
 */

import { found, make } from "../../lab/static/elements.js";
import { onClicks } from "./clicker.js";
import { follow } from "./stage.js";

const main = found("content", HTMLElement);

/** Where it is kept which button was pressed last. */
const DID = "pressed";

/** Whether something was typed that was not sent. */
let typing = false;

/** Whether a form was sent, and its page is on its way. */
let leaving = false;

/** Of how many reports the notes tell, as far as this script knows. */
let told = -1;

/** Have the notes tell of the reports that came since. @param {number} n */
async function renew(n) {
  if (told === n) return;
  told = n;
  const answer = await fetch(`${location.pathname}/notes.json`).catch(() => undefined);
  if (!answer?.ok) return;
  /** @type {string[]} */
  const notes = await answer.json();
  document.querySelector(".notes")?.replaceChildren(...notes.map((one) => make("li", {}, one)));
}

/** @param {StageMoment} moment */
function hear({ scene, at }) {
  if (at === main.dataset.at) renew(scene.n);
  if (at === main.dataset.at || leaving) return;
  // Led from another device: the notes and forms of the step come with its page.
  if (typing) found("moved", HTMLElement).hidden = false;
  else location.replace(location.pathname);
}

/** Press a button, once. @param {unknown} way */
function lead(way) {
  if (leaving || (way !== "next" && way !== "back")) return;
  /** @type {HTMLFormElement | null} */
  const form = document.querySelector(`form[data-do=${way}]`);
  form?.requestSubmit();
}

/** @param {number} dot */
function point(dot) {
  const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-do]"));
  const body = new FormData(form);
  body.set("do", "choose");
  body.set("dot", `${dot}`);
  fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
}

for (const form of document.forms) {
  form.addEventListener("input", () => (typing = true));
  if (form.dataset.do === undefined) continue;
  form.addEventListener("submit", () => {
    leaving = true;
    sessionStorage.setItem(DID, `${form.dataset.do}`);
  });
}
// Whoever goes on by keyboard finds the button where it was.
const did = document.querySelector(`form[data-do="${sessionStorage.getItem(DID)}"] button`);
if (did instanceof HTMLElement) did.focus();
sessionStorage.removeItem(DID);
onClicks(lead);
// The same, pressed while the projector's window has the focus.
new BroadcastChannel(`${main.dataset.poll}`).addEventListener("message", ({ data }) => lead(data));
document.addEventListener("point", (event) => {
  point(/** @type {CustomEvent<number>} */ (event).detail);
});
follow(main, hear);
