/**
 * What is said of a trial, on every screen and in the language that is read.
 *
 * The adversary would have people answer a trial with the truth: it draws fresh noise each time. So
 * wherever the program keeps nothing it also says that nothing counts, whatever the server's page says.
 */

import { storageOfPage } from "../core/trial.js";
import { element, paragraph } from "./dom.js";
import { say } from "./say.js";

/**
 * Open a trial: show the band, and give the page a memory that ends with it.
 * @param {Device} device
 * @returns {Device}
 */
export function asTrial(device) {
  const { root } = device;
  const draw = () => {
    for (const old of document.querySelectorAll("p.trial")) old.remove();
    const band = element(
      "p",
      { class: "trial", role: "note" },
      element("strong", {}, say("This is a trial.")),
      " ",
      say("Make up your answers."),
    );
    // In the bar that stays in sight, and never above what is pressed.
    const main = root.closest("main");
    let bar = main?.parentElement?.querySelector(".leave");
    if (!bar) {
      bar = element("div", { class: "leave" });
      (main ?? document.body.lastChild)?.before(bar);
    }
    bar.prepend(band);
  };
  draw();
  // Each screen is drawn anew, and in another language it stands in another part of the page.
  new MutationObserver(draw).observe(root, { childList: true });
  return { ...device, storage: storageOfPage(), tab: { name: "" } };
}

/**
 * Show at once the question that a link names, as the desk does beside its card.
 * @param {{paper: Paper, show: (view: View) => boolean}} questionnaire
 * @param {string} hash
 */
export function leadTo(questionnaire, hash) {
  const id = /&question=([\w-]+)/.exec(hash)?.[1];
  const isOn = (/** @type {Entry[]} */ page) => page.some(({ question }) => question.id === id);
  const place = questionnaire.paper.pages.findIndex(isOn);
  if (place > 0) questionnaire.show({ place });
}

/** What is said at its end, instead of what this device keeps. */
export const afterTrial = () => [
  element(
    "p",
    { class: "known" },
    say("This was a trial: it shows what people will be asked. What you sent counts nowhere."),
  ),
  paragraph(
    say(
      "To try it again, open the link again. If something was unclear, tell the people who gave you the link.",
    ),
  ),
];
