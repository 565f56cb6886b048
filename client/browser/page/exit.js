/**
 * "Leave quickly": at once to a site that nobody wonders about. And "Clear the screen", at the end.
 *
 * The adversary comes into the room. What they see, what the back button leads to and what this
 * browser keeps of the survey shall then not be the survey.
 */

import { entriesIn, forget } from "../core/storage.js";
import { addressOf } from "./address.js";
import { depthNow } from "./history.js";

/** How many milliseconds may lie between two presses of Escape, of which three leave. */
const PATIENCE = 2000;

/** How many entries of a tab browsers keep: from then on their number tells nothing. */
const MOST_ENTRIES = 50;

/** How many there were when this page was new, and so the last of them; 0 if it was gone back to, or reloaded. */
const entriesWhenNew = performance
  .getEntriesByType("navigation")
  .some((way) => way.toJSON().type === "navigate")
  ? history.length
  : 0;

/**
 * Follow what leads there: a link where no question is asked, which does so without this program
 * too, and among questions a button. The main program draws it anew, in each language.
 * @param {Storage | undefined} storage
 */
export function armExit(storage) {
  const leave = () => {
    const exit = document.querySelector(".exit");
    if (!(exit instanceof HTMLElement)) return;
    const { site, survey } = exit.dataset;
    const href = exit.getAttribute("href") ?? site ?? "";
    // Forget the answers and the way now: the steps back below are not to show a page of it.
    window.dispatchEvent(new Event("pagehide"));
    wipe(new URL(href).hostname);
    // Where a spinner pointed a tab knows by its name.
    window.name = "";
    if (storage !== undefined) forgetHere(storage, survey, site !== undefined);
    goFor(href);
  };
  window.addEventListener("click", (event) => {
    if (!(event.target instanceof Element && event.target.closest(".exit"))) return;
    event.preventDefault();
    leave();
  });
  for (const hint of document.querySelectorAll(".exit + [hidden]")) hint.removeAttribute("hidden");
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

/**
 * Forget the survey that a page names, or whose page it is; all of them, where it names them all.
 * @param {Storage} storage @param {string | undefined} named @param {boolean} asks
 */
function forgetHere(storage, named, asks) {
  for (const { survey } of entriesIn(storage)) {
    /** @type {Addressed[]} */
    const ways = [{ survey }, { survey, kind: "meeting" }, { survey, address: "named" }];
    const isHere = !asks || ways.some((way) => addressOf(way) === location.pathname);
    if (named === undefined ? isHere : survey === named) forget(storage, survey);
  }
}

/** Leave an empty page, which no step back or forward leads from to the survey. */
export function clearScreen() {
  forgetReceipts();
  wipe(location.hostname);
  goFor("about:blank");
}

/**
 * Go to an address from which no step forward leads to the survey, and no first step back.
 * @param {string} address
 */
function goFor(address) {
  const { length } = history;
  // The page before is then the one step back, and this browser names no other of this site.
  if (length === entriesWhenNew && length < MOST_ENTRIES) return location.replace(address);
  fromTheFirst(() => {
    history.replaceState(null, "", "/");
    // A new entry: there is nothing to go forward to any more.
    location.assign(address);
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
  const late = setTimeout(go, 300);
  const arrived = () => {
    clearTimeout(late);
    go();
  };
  window.addEventListener("popstate", arrived, { once: true });
  history.go(-depth);
}
