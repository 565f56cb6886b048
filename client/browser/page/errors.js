/** What is missing: said above the questions, each with a link, and beside what it is about. */

import { element, linked, paragraph, points } from "./dom.js";
import { say } from "./say.js";

/**
 * @param {HTMLElement} summary
 * @param {Mistake[]} mistakes
 * @param {boolean} alone whether there is one question on the page, which goes without saying
 * @param {() => string} [unwilling] what is said to who does not want to answer
 */
export function errorSummary(summary, mistakes, alone, unwilling = leaveThisPage) {
  const prefix = say("Error: ");
  if (document.title.startsWith(prefix)) document.title = document.title.slice(prefix.length);
  summary.hidden = mistakes.length === 0;
  if (mistakes.length === 0) return;
  document.title = prefix + document.title;
  summary.translate = !mistakes.some(({ tells }) => tells);
  const links = mistakes.map(({ control, entry, instruction }) => {
    const { text: question } = entry.question;
    const words = alone
      ? instruction
      : say("{question} – {instruction}", { question, instruction });
    return linked(words, () => control.focus());
  });
  summary.replaceChildren(
    element("h2", {}, say("There is a problem")),
    element("ul", {}, ...points(links)),
    paragraph(unwilling()),
  );
  summary.focus();
}

const leaveThisPage = () =>
  say("You can also leave this page. None of your answers has been sent.");

/**
 * Say beside each question, and in each row, what is missing.
 * @param {Entry[]} entries
 * @param {Mistake[]} mistakes
 */
export function showMistakes(entries, mistakes) {
  for (const { field } of entries) {
    const own = mistakes.filter(({ entry }) => entry.field === field);
    field.classList.toggle("wrong", own.length > 0);
    markWrong(field, own.find(({ row }) => !row)?.instruction);
    const told = field.querySelector(":scope > .error");
    told?.setAttribute("translate", own.some(({ tells }) => tells) ? "no" : "yes");
    for (const row of field.querySelectorAll("fieldset")) {
      markWrong(row, own.some((mistake) => mistake.row === row) ? say("Choose an answer") : "");
    }
  }
}

/**
 * Tie a message to a question or a row, beside its hints, or take it away.
 * @param {HTMLFieldSetElement} part
 * @param {string} [message]
 */
export function markWrong(part, message = "") {
  const error = part.querySelector(":scope > .error");
  if (!(error instanceof HTMLElement)) return;
  error.hidden = message === "";
  error.textContent = message;
  if (part.matches("[role=radiogroup]")) part.setAttribute("aria-invalid", String(!error.hidden));
  const hints = part.querySelectorAll(":scope > p[id]:not(.error)");
  const described = [...hints, ...(error.hidden ? [] : [error])].map(({ id }) => id);
  if (described.length === 0) part.removeAttribute("aria-describedby");
  else part.setAttribute("aria-describedby", described.join(" "));
}
