/**
 * What was handed out with the link of a survey: an access word that all respondents share, or a code
 * for one report. It is asked before the questions and sent beside the report, which does not hold it.
 * This device keeps it only while the report waits.
 */

import { Unanswered } from "./answers.js";
import { element, forgetfulInput } from "./dom.js";
import { say } from "./say.js";

/**
 * Each in its header. No question's id has a capital letter in it.
 *
 * @type {Record<string, Secret>}
 */
const SECRETS = {
  pin: {
    id: "Pin",
    header: "Survey-Pin",
    name: () => say("Access word"),
    told: () => say("The people who gave you the link also gave you a word."),
    missing: () => say("Type the access word."),
    read: wordOf,
    linked: () => "",
  },
  code: {
    id: "Code",
    header: "Survey-Code",
    name: () => say("Your code"),
    told: () =>
      say(
        "It is for one report, which does not hold it. But the people who gave it to you may see that you took part.",
      ),
    missing: () => say("Type the code that you were given."),
    read: ({ value }) =>
      value
        .normalize("NFKC")
        .toUpperCase()
        .replace(/[^A-Z-]/g, ""),
    // No browser sends what stands behind this sign to anybody.
    linked: () => /[#&]code=([a-z-]+)/i.exec(location.hash)?.[1] ?? "",
  },
};

/**
 * Like questions, but of no item: nothing of them can reach a report.
 *
 * @param {string} wanted their names
 * @returns {Entry[]}
 */
export const wordEntries = (wanted) => wanted.split(" ").map((name) => wordEntry(SECRETS[name]));

/**
 * @param {Secret} secret
 * @returns {Entry}
 */
function wordEntry({ id, name, told, missing, read: clean, linked }) {
  const title = name();
  const input = wordInput(id, linked());
  const field = element(
    "fieldset",
    { class: "question", id },
    element("legend", {}, element("h2", { tabindex: "-1" }, title)),
    element("label", { class: "hint", for: input.id }, told()),
    element("p", { class: "error", id: `${id}-error`, hidden: true }),
    input,
  );
  const gap = () => ({ control: input, instruction: missing() });
  const read = () => {
    if (clean(input) === "") throw new Unanswered([gap()]);
    return [];
  };
  const control = { element: input, read, reset: () => (input.value = "") };
  const question = /** @type {Question} */ ({ id, text: title });
  return { question, places: [], control, field };
}

/**
 * What was typed into these entries, if it is asked there.
 *
 * @param {Entry[]} entries
 * @returns {Words}
 */
export const wordsIn = (entries) =>
  Object.fromEntries(
    entries.flatMap(({ question, control }) =>
      Object.values(SECRETS)
        .filter(({ id }) => id === question.id)
        .map(({ header, read }) => [
          header,
          read(/** @type {HTMLInputElement} */ (control?.element)),
        ]),
    ),
  );

/**
 * Ask again, since the server knows another one.
 *
 * @param {string} name
 * @param {Words} words that were sent
 * @param {(words: Words) => void} answer
 */
export function wordForm(name, words, answer) {
  const { id, header, told, read, linked } = SECRETS[name];
  const input = wordInput(id, name === "code" ? (words[header] ?? linked()) : "");
  const form = element(
    "form",
    { novalidate: true },
    element("label", { class: "hint", for: input.id }, told()),
    input,
    element("button", {}, say("Try again")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const word = read(input);
    if (word === "") input.focus();
    else answer({ ...words, [header]: word });
  });
  return form;
}

/**
 * @param {string} id
 * @param {string} value
 */
function wordInput(id, value) {
  return forgetfulInput("text", {
    id: `${id}-word`,
    class: "word",
    maxlength: "64",
    autocapitalize: "none",
    spellcheck: "false",
    dir: "ltr",
    value,
  });
}

/**
 * What was typed, as words are compared: small letters from a to z, digits and hyphens. A header of a
 * request can hold no others.
 *
 * @param {HTMLInputElement} input
 */
function wordOf({ value }) {
  return value
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(/[^a-z0-9-]/g, "");
}
