/** Each phone of the class gets a tick when its answer has come: no place tells whose. */

import { make } from "../../lab/static/elements.js";
import { across } from "./dots.js";
import { arrive } from "./motion.js";

/** @param {StageCrowd} picture @param {Element} within */
export function showCrowd({ came, joined }, within) {
  const before = within.querySelectorAll(".came").length;
  const all = Math.max(came, joined);
  const phones = Array.from({ length: all }, (_, at) =>
    make("span", { class: `dot person${at < came ? " came" : ""}` }),
  );
  const crowd = make("div", { class: "dots", "aria-hidden": "true" }, ...phones);
  crowd.style.setProperty("--across", `${across(all, 5)}`);
  within.replaceChildren(make("p", { class: "many" }, `${came}`), crowd);
  arrive(phones.slice(before, came));
}
