/** The projector: shows each scene when it comes, and nothing else. */

import { found } from "../../lab/static/elements.js";
import { follow } from "./live.js";
import { show } from "./stage.js";

const main = found("content", HTMLElement);
follow(
  { events: main.dataset.events, poll: main.dataset.poll },
  (/** @type {Scene} */ scene) => show(scene),
  (connected) => (found("trouble", HTMLElement).hidden = connected),
);
