// The editor of a draft: completes the keys of a survey file, and shows its mistakes and what it
// costs as somebody types. Without it the page is a form that does the same when it is sent.

import { verdict, written } from "./lint.js";
import { complete } from "./completion.js";
import { mount } from "./vendor/codemirror.js";

/** Milliseconds without a key, after which a text is checked. */
const PAUSE = 400;

/**
 * Find a part of the page.
 *
 * @template {HTMLElement} Part
 * @param {string} id
 * @param {new () => Part} kind
 */
function part(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

const form = part("editing", HTMLFormElement);
const area = part("text", HTMLTextAreaElement);
const host = part("editor", HTMLElement);
const people = part("respondents", HTMLInputElement);
const panel = part("checked", HTMLElement);
const told = part("verdict", HTMLElement);
const saved = part("saved", HTMLElement);
const shown = form.elements.namedItem("shown");

/** @type {import("./completion.js").Schema} */
let schema = {};
/** @type {import("./vendor/codemirror.js").Editor} */
let editor;
let kept = area.value;
let timer = 0;
let isChecking = false;
let isStale = false;

/**
 * Send the form to the desk.
 *
 * @param {string} address
 */
async function send(address) {
  const headers = { Accept: "application/json" };
  const body = new FormData(form);
  body.set("text", editor.text());
  const response = await fetch(address, { method: "POST", headers, body });
  const isRead = response.headers.get("Content-Type")?.startsWith("application/json");
  return { status: response.status, answer: isRead ? await response.json() : null };
}

/** @param {number} status */
function refusal(status) {
  if (status === 413) return "This text is too long to be edited here. Edit it in a file.";
  if (status === 409) {
    return "This draft was changed elsewhere. Save again if your text is to replace that change.";
  }
  return "The desk did not take this. Perhaps you are signed out: copy your text, and reload.";
}

/** Check the text as it is now; one that was typed meanwhile is checked next. */
async function check() {
  isStale = true;
  if (isChecking) return;
  isChecking = true;
  while (isStale) {
    isStale = false;
    const { status, answer } = await send(form.dataset.check ?? "").catch(lost);
    if (status === 200) {
      told.textContent = verdict(answer);
      panel.replaceChildren(...written(answer, editor.goTo));
      editor.mark(answer.mistakes);
    } else {
      told.textContent = refusal(status);
    }
  }
  isChecking = false;
}

function lost() {
  return { status: 0, answer: null };
}

/** Keep the text at the desk; return whether it is kept. */
async function save() {
  const text = editor.text();
  const { status, answer } = await send(form.action).catch(lost);
  if (answer !== null && shown instanceof HTMLInputElement) shown.value = answer.shown;
  if (status === 200) kept = text;
  saved.textContent = status === 200 ? "Saved." : refusal(status);
  return status === 200;
}

/**
 * Send the form as a page without script does, to go on with the draft.
 *
 * @param {string} then
 */
function goOn(then) {
  const chosen = document.createElement("input");
  Object.assign(chosen, { type: "hidden", name: "then", value: then });
  area.value = editor.text();
  form.append(chosen);
  form.submit();
  chosen.remove(); // whoever comes back chooses anew
}

function changed() {
  saved.textContent = "";
  clearTimeout(timer);
  timer = window.setTimeout(check, PAUSE);
}

function begin() {
  host.hidden = false;
  area.hidden = true;
  part("keys", HTMLElement).hidden = false;
  const completing = (/** @type {string} */ text, /** @type {number} */ position) =>
    complete(schema, text, position);
  editor = mount({
    host,
    text: area.value,
    label: "Survey file",
    complete: completing,
    onChange: changed,
  });
  part("save", HTMLButtonElement).textContent = "Save";
  people.addEventListener("input", () => people.validity.valid && changed());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter;
    const then = button instanceof HTMLButtonElement ? button.value : "";
    if ((await save()) && then) goOn(then);
  });
  form.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  addEventListener("beforeunload", (event) => {
    if (editor.text() !== kept) event.preventDefault();
  });
  void check();
}

begin();
// Nothing waits for it: without it, nothing is completed.
schema = await fetch(form.dataset.schema ?? "").then((response) => response.json());
