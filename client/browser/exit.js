/**
 * "Exit this page": at once to a site that nobody wonders about.
 *
 * The adversary comes into the room. What they see, what the back button leads to and what this
 * browser keeps of the survey shall then not be the survey.
 */

import { element } from "./dom.js";
import { forget } from "./memory.js";
import { say } from "./say.js";
import { depthNow } from "./trail.js";

/** How many milliseconds may lie between two presses of Escape, of which three leave. */
const PATIENCE = 2000;

/**
 * @param {HTMLAnchorElement} link leads there without this program too
 * @param {string} survey
 * @param {Storage | undefined} storage
 */
export function armExit(link, survey, storage) {
  const leave = () => {
    // Forget the answers and the way now: the steps back below are not to show a page of it.
    window.dispatchEvent(new Event("pagehide"));
    document.body.replaceChildren();
    forget(storage, survey);
    const go = () => location.replace(link.href);
    const depth = depthNow();
    if (depth === 0) return go();
    // The pages on the way here are in the history: back to the first of them, which is replaced.
    window.addEventListener("popstate", go);
    history.go(-depth);
    setTimeout(go, 300);
  };
  link.addEventListener("click", (event) => {
    event.preventDefault();
    leave();
  });
  let pressed = 0;
  let last = 0;
  window.addEventListener("keydown", ({ key, repeat, timeStamp }) => {
    if (repeat) return;
    const goesOn = key === "Escape" && timeStamp - last < PATIENCE;
    pressed = goesOn ? pressed + 1 : Number(key === "Escape");
    last = timeStamp;
    if (pressed === 3) leave();
  });
  link.after(element("span", { class: "small" }, say("or press Esc three times")));
}
