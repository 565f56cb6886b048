/**
 * The projector: shows each scene when it comes, and nothing else. It can lead nothing. A clicker's
 * keys go to the presenter's page, which hears them in the same browser only.
 */

import { found } from "../../lab/static/elements.js";
import { onClicks } from "./clicker.js";
import { follow } from "./stage.js";

const main = found("content", HTMLElement);

/** Down to which part of its usual size all may shrink, in twentieths. */
const LEAST = 11;

/** Make all of a scene fit the wall: first what is large shrinks, and then the smallest text too. */
function fit() {
  const root = document.documentElement;
  root.style.setProperty("--least", "1");
  for (const name of ["--fit", "--least"]) {
    for (let part = 20; part >= LEAST; part -= 1) {
      root.style.setProperty(name, `${part / 20}`);
      if (root.scrollHeight <= root.clientHeight) return;
    }
  }
}

addEventListener("resize", fit);
document.fonts.addEventListener("loadingdone", fit);
document.addEventListener("told", fit);
const presenter = new BroadcastChannel(`${main.dataset.poll}`);
onClicks((way) => presenter.postMessage(way));
follow(main, ({ where }) => {
  found("place", HTMLElement).textContent = where;
  fit();
});
