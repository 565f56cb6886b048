/**
 * "Leave quickly": at once to a site that nobody wonders about.
 *
 * The adversary comes into the room. What they see, what the back button leads to and what this
 * browser keeps of the survey shall then not be the survey.
 */

import { forget } from "../core/storage.js";
import { depthNow } from "./trail.js";

/** How many milliseconds may lie between two presses of Escape, of which three leave. */
const PATIENCE = 2000;

/**
 * The links lead there without this program too, one in each language.
 *
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
    document.body.replaceChildren();
    document.title = hostname;
    // Of all surveys on a page that names them all.
    if (storage !== undefined) forget(storage, dataset.survey);
    const go = () => location.replace(href);
    const depth = depthNow();
    if (depth === 0) return go();
    // The pages on the way here are in the history: back to the first of them, which is replaced.
    window.addEventListener("popstate", go);
    history.go(-depth);
    setTimeout(go, 300);
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
