/**
 * The access word that all respondents of a survey share. It is asked before the questions and sent
 * beside the report, which does not hold it. This device keeps it only while the report waits.
 */

import { Unanswered } from "./answers.js";
import { element, forgetfulInput } from "./dom.js";
import { say } from "./say.js";

// No question's id has a capital letter in it.
const ID = "Pin";

/**
 * Like a question, but of no item: nothing of it can reach a report.
 *
 * @returns {Entry}
 */
export function pinEntry() {
  const title = say("Access word");
  const input = wordInput();
  const field = element(
    "fieldset",
    { class: "question", id: ID },
    element("legend", {}, element("h2", { tabindex: "-1" }, title)),
    element("label", { class: "hint", for: input.id }, askedFor()),
    element("p", { class: "error", id: `${ID}-error`, hidden: true }),
    input,
  );
  const gap = () => ({ control: input, instruction: say("Type the access word.") });
  const read = () => {
    if (wordOf(input) === "") throw new Unanswered([gap()]);
    return [];
  };
  const control = { element: input, read, reset: () => (input.value = "") };
  const question = /** @type {Question} */ ({ id: ID, text: title });
  return { question, places: [], control, field };
}

/**
 * The word that was typed into one of these entries, if it is asked there.
 *
 * @param {Entry[]} entries
 */
export function pinIn(entries) {
  const control = entries.find(({ question }) => question.id === ID)?.control;
  return control && wordOf(/** @type {HTMLInputElement} */ (control.element));
}

/**
 * Ask again, since the server knows another word.
 *
 * @param {(word: string) => void} answer
 */
export function pinForm(answer) {
  const input = wordInput();
  const form = element(
    "form",
    { novalidate: true },
    element("label", { class: "hint", for: input.id }, askedFor()),
    input,
    element("button", {}, say("Try again")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const word = wordOf(input);
    if (word === "") input.focus();
    else answer(word);
  });
  return form;
}

const askedFor = () => say("The people who gave you the link also gave you a word.");

function wordInput() {
  return forgetfulInput("text", {
    id: `${ID}-word`,
    class: "word",
    maxlength: "64",
    autocapitalize: "none",
    spellcheck: "false",
    dir: "ltr",
  });
}

/**
 * What was typed, as words are compared: small letters from a to z, digits and hyphens. A header of a
 * request can hold no others.
 *
 * @param {HTMLInputElement} input
 */
export function wordOf({ value }) {
  return value
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(/[^a-z0-9-]/g, "");
}
