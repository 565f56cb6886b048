/** The projector: shows each scene when it comes, and nothing else. */

import { found } from "../../lab/static/elements.js";
import { follow } from "./live.js";
import { show } from "./stage.js";

const main = found("content", HTMLElement);

/** @param {Moment} moment */
function hear({ scene, place, of, asks }) {
  show(scene);
  document.body.dataset.asks = asks;
  found("place", HTMLElement).textContent = of > 1 ? `Question ${place} of ${of}` : "";
}

follow(
  { events: main.dataset.events, poll: main.dataset.poll },
  hear,
  (connected) => (found("trouble", HTMLElement).hidden = connected),
);
