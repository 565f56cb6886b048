/** What stands on which page. No page says in its title what it asks: browsers keep titles. */

import { element } from "./dom.js";
import { say } from "./say.js";

/**
 * A page to begin with and one for each question, or everything on one.
 *
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 */
export function pagesOf(survey, entries) {
  if (survey.pages === "one" || survey.questions.length === 1) return [entries];
  return [[], ...entries.filter(({ control }) => control).map((entry) => [entry])];
}

/** Whether nothing on a page applies. @param {Entry[]} [page] none of the review */
export const isSkipped = (page = []) => page.length > 0 && page.every(({ skipped }) => skipped);

/**
 * What leads on.
 *
 * @param {Entry[] | undefined} page undefined for the review
 * @param {number} place
 */
export function label(page, place) {
  if (page === undefined) return say("Send the randomised report");
  return place === 0 && page.length === 0 ? say("Start") : say("Continue");
}

/**
 * What leads back, and how far one has come.
 *
 * @param {Entry[][]} pages
 * @param {number} place
 * @param {() => void} back
 */
export function wayBack(pages, place, back) {
  if (place === 0) return [];
  const link = element("button", { type: "button", class: "link back" }, say("Back"));
  link.addEventListener("click", back);
  if (place === pages.length) return [link];
  // What was skipped does not count; what is yet to come does, as it may apply.
  const skipped = pages.slice(0, place).filter(isSkipped).length;
  const of = pages.length - 1 - skipped;
  const number = place - skipped;
  const progress = element("progress", { max: String(of), value: String(number - 1) });
  progress.setAttribute("aria-label", say("Questions answered"));
  return [
    link,
    element("p", { class: "hint" }, say("Question {place} of {of}", { place: number, of })),
    progress,
  ];
}
