/**
 * What was handed out with the link of a survey: an access word that all respondents share, or a code
 * for one report. It is asked before the questions. The word is sent beside the report, and kept only
 * while that waits. The code is sent by itself, for a token that is sent beside the report.
 */

import { keepsNoise } from "../core/questions.js";
import { Unanswered } from "./answers.js";
import { element, forgetfulInput } from "./dom.js";
import { admit } from "./invitation.js";
import { refuse } from "./refuse.js";
import { say } from "./say.js";

/** @type {Record<string, Secret>} */
const SECRETS = {
  pin: {
    id: "Pin",
    name: () => say("Access word"),
    told: () => say("The people who gave you the link also gave you a word."),
    missing: () => say("Type the access word."),
    read: wordOf,
    linked: () => "",
  },
  code: {
    id: "Code",
    name: () => say("Your code"),
    told: (survey) =>
      keepsNoise(survey)
        ? say(
            "It is good for one report in each wave, so keep it. Nobody can tell from your reports which code they came with. But the people who gave you the code may see that it was used.",
          )
        : say(
            "It is good for one report. Nobody can tell from your report which code it came with. But the people who gave you the code may see that it was used.",
          ),
    missing: () => say("Type the code that you were given."),
    read: ({ value }) =>
      value
        .normalize("NFKC")
        .toUpperCase()
        .replace(/[^A-Z-]/g, ""),
    // No browser sends what stands behind this sign to anybody.
    linked: () => /[#&?;]code=([a-z-]+)/i.exec(location.hash)?.[1] ?? "",
  },
};

/**
 * Like questions, but of no item: nothing of them can reach a report.
 * @param {string[]} wanted their names
 * @param {SurveyDocument} survey
 * @returns {Entry[]}
 */
export const wordEntries = (wanted, survey) =>
  wanted.map((name) => wordEntry(SECRETS[name], survey));

/**
 * @param {Secret} secret
 * @param {SurveyDocument} survey
 * @returns {Entry}
 */
function wordEntry({ id, name, told, missing, read: clean, linked }, survey) {
  const title = name();
  const input = wordInput(id, linked());
  const field = element(
    "fieldset",
    { class: "question", id },
    element("legend", {}, element("h2", { tabindex: "-1" }, title)),
    element("label", { class: "hint", for: input.id }, told(survey)),
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
 * What was typed into one of these entries.
 * @param {Entry[]} entries
 * @param {"pin" | "code"} name
 * @returns {string} empty if it is not asked there
 */
export function typedIn(entries, name) {
  const { id, read } = SECRETS[name];
  const entry = entries.find(({ question }) => question.id === id);
  return entry ? read(/** @type {HTMLInputElement} */ (entry.control?.element)) : "";
}

/**
 * What is sent beside the report.
 * @param {Admission | undefined} admission
 * @param {Entry[]} entries
 * @returns {Words}
 */
export function wordsBeside(admission, entries) {
  const word = typedIn(entries, "pin");
  return {
    ...(word ? { "Survey-Pin": word } : {}),
    ...(admission?.token ? { "Survey-Token": admission.token } : {}),
  };
}

/**
 * Ask again, since the server knows another one, or needs one for a report that was made without.
 * @param {Session} session
 * @param {NoisyReport} report
 * @param {"pin" | "code"} name
 * @param {Words} words that were sent
 * @param {(words: Words) => void} answer
 */
export function wordForm(session, report, name, words, answer) {
  const { id, told, read, linked } = SECRETS[name];
  const input = wordInput(id, linked());
  const button = element("button", {}, say("Try again"));
  const error = element("p", { class: "error", id: `${id}-error`, role: "alert", hidden: true });
  const form = element(
    "form",
    { novalidate: true },
    element("label", { class: "hint", for: input.id }, told(session.survey)),
    error,
    input,
    button,
  );
  const exchange = async (/** @type {string} */ word) => {
    if (name === "pin") return answer({ ...words, "Survey-Pin": word });
    button.disabled = true;
    const wrong = await admit(session, word, report);
    button.disabled = false;
    error.hidden = wrong === "";
    error.textContent = wrong;
    if (wrong) input.focus();
    else answer({ ...words, ...wordsBeside(session.admission, []) });
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const word = read(input);
    if (word === "") input.focus();
    else void exchange(word).catch((problem) => refuse(session.root, problem));
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
    size: "30",
    maxlength: "64",
    autocapitalize: "none",
    dir: "ltr",
    value,
  });
}

/**
 * What was typed, as words are compared: small letters from a to z, digits and hyphens. A header of a
 * request can hold no others.
 * @param {HTMLInputElement} input
 */
function wordOf({ value }) {
  return value
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(/[^a-z0-9-]/g, "");
}
