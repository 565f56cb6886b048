/**
 * "Leave quickly": at once to a site that nobody wonders about. And "Clear the screen", at the end.
 *
 * The adversary comes into the room. What they see, what the back button leads to and what this
 * browser keeps of the survey shall then not be the survey.
 */

import { forget } from "../core/storage.js";
import { depthNow } from "./history.js";

/** How many milliseconds may lie between two presses of Escape, of which three leave. */
const PATIENCE = 2000;

/**
 * The links lead there without this program too, one in each language.
 * @param {Storage | undefined} storage
 */
export function armExit(storage) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("a.exit");
  if (links.length === 0) return;
  const { href, hostname, dataset } = links[0];
  const leave = () => {
    // Forget the answers and the way now: the steps back below are not to show a page of it.
    window.dispatchEvent(new Event("pagehide"));
    wipe(hostname);
    // Where a spinner pointed a tab knows by its name.
    window.name = "";
    // Of all surveys on a page that names them all.
    if (storage !== undefined) forget(storage, dataset.survey);
    fromTheFirst(() => location.replace(href));
  };
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      leave();
    });
    link.nextElementSibling?.removeAttribute("hidden");
  }
  let pressed = 0;
  let last = 0;
  window.addEventListener("keydown", ({ key, repeat, timeStamp }) => {
    if (repeat) return;
    const goesOn = key === "Escape" && timeStamp - last < PATIENCE;
    pressed = goesOn ? pressed + 1 : Number(key === "Escape");
    last = timeStamp;
    if (pressed === 3) leave();
  });
}

/** Leave an empty page, which no step back or forward leads from to the survey. */
export function clearScreen() {
  forgetReceipts();
  wipe(location.hostname);
  fromTheFirst(() => {
    history.replaceState(null, "", "/");
    // A new entry: there is nothing to go forward to any more.
    location.assign("about:blank");
  });
}

/** The files that were made of receipts. */
export function forgetReceipts() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("a[download]");
  for (const { href } of links) URL.revokeObjectURL(href);
}

/** @param {string} title */
function wipe(title) {
  document.body.replaceChildren();
  document.title = title;
}

/** Go back to the first of the pages on the way here, and on from there. @param {() => void} go */
function fromTheFirst(go) {
  const depth = depthNow();
  if (depth === 0) return go();
  window.addEventListener("popstate", go);
  history.go(-depth);
  setTimeout(go, 300);
}
