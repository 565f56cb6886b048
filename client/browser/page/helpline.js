/** Who helps, and whom to ask: on the first screen and on the last. */

import { element } from "./dom.js";
import { say } from "./say.js";

/**
 * Who helps people whom the questions trouble.
 * @param {SurveyDocument} survey as it reads in the language that is spoken
 * @returns {HTMLElement[]} nothing where the survey names nobody
 */
export function helpline({ about: { help, help_link } = {} }) {
  if (!help) return [];
  const words = say("Someone to talk to:");
  return [element("p", { class: "helpline" }, `${words} `, linked(help, help_link))];
}

/**
 * A text that may lead somewhere. Which links there can be, core/protocol.js has checked.
 * @param {string} text
 * @param {string} [link]
 */
export function linked(text, link) {
  // No page that is visited learns from where.
  return link ? element("a", { href: link, rel: "noreferrer" }, text) : text;
}
