/** What stands around the questions: what leads on and back, and how far somebody has come. */

import { clickable, element, hint } from "./dom.js";
import { say } from "./say.js";

/** What leads on says. */
const ON = {
  start: () => say("Start"),
  continue: () => say("Continue"),
  send: () => say("Send"),
};

/** The parts that stay while the questions come and go. */
export function openFrame() {
  return {
    button: element("button", { type: "submit" }),
    shell: element("form", { autocomplete: "off", novalidate: true }),
    summary: element("div", { class: "panel warning", tabindex: "-1", hidden: true }),
    news: element("p", { class: "unseen", role: "status" }),
  };
}

/** What leads on from a screen. @param {Scene} scene */
export const label = ({ button }) => ON[button]();

/** What leads back, and how far somebody has come. @param {Scene} scene @param {() => void} back */
export function wayBack({ back: leads, progress }, back) {
  if (!leads) return [];
  const link = clickable({ class: "link back" }, say("Back"), back);
  if (progress === undefined) return [link];
  const { number, of } = progress;
  const bar = element("progress", { max: String(of), value: String(number - 1) });
  bar.setAttribute("aria-label", say("Questions answered"));
  const words = say("Question {place} of {of}", { place: number, of });
  return [element("div", { class: "way-back" }, link, hint(words)), bar];
}

/**
 * From the first screen on, the survey's name is heard, and not seen: others may look on.
 * @param {boolean} is whether somebody is past it
 */
export function underWay(is) {
  document.body.classList.toggle("under-way", is);
  // What gets the focus stands below the bar that stays in sight, however large its words become.
  const bar = document.querySelector(".leave");
  const measure = () => {
    document.documentElement.style.scrollPaddingTop = `${bar?.clientHeight ?? 0}px`;
  };
  // Of the bar it is said once the page is laid out: asked before, it would be laid out twice.
  if (bar) new ResizeObserver(measure).observe(bar);
  else measure();
}
