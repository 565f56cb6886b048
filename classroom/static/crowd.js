/** A dot for each phone of the class, which fills when its answer has come: no place tells whose. */

import { make } from "../../lab/static/elements.js";
import { across } from "./dots.js";
import { arrive } from "./motion.js";

/** @param {StageCrowd} picture @param {Element} within */
export function showCrowd({ came, joined }, within) {
  const before = within.querySelectorAll(".report-1").length;
  const all = Math.max(came, joined);
  const dots = Array.from({ length: all }, (_, at) =>
    make("span", { class: `dot report-${at < came ? 1 : 0}` }),
  );
  const crowd = make("div", { class: "dots", "aria-hidden": "true" }, ...dots);
  crowd.style.setProperty("--across", `${across(all)}`);
  within.replaceChildren(make("p", { class: "many" }, `${came}`), crowd);
  arrive(dots.slice(before, came));
}
