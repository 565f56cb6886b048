// The editor of a draft: shows its mistakes and what it costs as somebody types. Without it the page
// is a form that does the same when it is sent.

import { Form, checkedIn } from "./form.js";
import { fieldOf, lead } from "./turn.js";
import { mount } from "./vendor/codemirror.js";

/** Milliseconds without a key, after which a text is checked. */
const PAUSE = 400;

/**
 * Find a part of the page.
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
const saved = part("saved", HTMLElement);
const shown = form.elements.namedItem("shown");

/** @type {import("./vendor/codemirror.js").Editor} */
let editor;
let kept = area.value;
let timer = 0;
/** @type {Form} */
let filled;
let saving = 0;
/** @type {Promise<boolean>} */
let keeping = Promise.resolve(true);
let isRefused = false;
let isGoing = false;
/** The link of the trial beside the form. */
let tried = "";
/** The text that the page was opened with, of which translations may be out of date. */
const opened = area.value;

/** Where the page of respondents has room beside the form. */
const isWide = matchMedia("(min-width: 60rem)");

const SAVED = "Saved.";

/** Letters of two texts that are sent together at most. */
const LONG = 20_000;
const FACES = ["form", "languages", "text"];

/**
 * Send the form to the desk.
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

/** @param {import("./form.js").Checked} checked */
function show({ mistakes }) {
  editor.mark(mistakes);
}

/** @param {{line: number, column: number, place?: unknown[]}} place */
function goTo(place) {
  // A warning has a field and no line.
  if (!place.line) turnTo("form");
  if (form.dataset.face === "form" && place.place && lead(fieldOf(place.place))) return;
  turnTo("text");
  editor.goTo(place);
}

/** @param {string} face */
function turnTo(face) {
  for (const one of FACES) {
    const tab = part(`tab-${one}`, HTMLButtonElement);
    part(`face-${one}`, HTMLElement).hidden = one !== face;
    tab.setAttribute("aria-selected", `${one === face}`);
    tab.tabIndex = one === face ? 0 : -1;
  }
  part("sheet", HTMLElement).hidden = face !== "languages";
  form.dataset.face = face;
  // No fragment for the form: the browser would scroll to it, past what stands above.
  history.replaceState(
    null,
    "",
    face === "form" ? location.pathname + location.search : `#${face}`,
  );
}

function faces() {
  const tabs = part("tabs", HTMLElement);
  tabs.hidden = false;
  tabs.addEventListener("click", async ({ target }) => {
    const tab = target instanceof Element ? target.closest("[role=tab]") : null;
    if (tab === null) return;
    await filled.flush();
    if (!part("face-text", HTMLElement).hidden) {
      filled.read();
      await filled.flush();
      keepSoon(false);
    }
    turnTo(tab.id.replace("tab-", ""));
  });
  tabs.addEventListener("keydown", ({ key, target }) => {
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    const at = target instanceof Element ? FACES.indexOf(target.id.replace("tab-", "")) : -1;
    if (at < 0 || step === 0) return;
    const next = FACES[(at + step + FACES.length) % FACES.length];
    part(`tab-${next}`, HTMLButtonElement).click();
    part(`tab-${next}`, HTMLButtonElement).focus();
  });
  const asked = location.hash.slice(1);
  // A link to the field of a translation.
  const linked = asked.startsWith("t-") ? document.getElementById(asked) : null;
  turnTo(linked ? "languages" : FACES.includes(asked) ? asked : "form");
  // Or to that of a warning.
  lead(linked ?? fieldOf(asked.replace("at-", "").split(",")));
  const title = document.getElementById("first-title");
  const isNew = asked === "" && title?.closest("details")?.open;
  if (isNew && lead(title)) /** @type {HTMLInputElement} */ (title).select();
  filled = new Form({
    host: part("drawn", HTMLElement),
    address: part("drawn", HTMLElement).dataset.form ?? "",
    data() {
      const body = new FormData(form);
      // What translations were made of. Two long texts are more than a request has room for.
      if (opened.length + editor.text().length < LONG) body.set("base", opened);
      return body;
    },
    text: editor.text,
    replace(text) {
      editor.replace(text);
      clearTimeout(timer); // it was checked as it was made
    },
    answered(checked, isEdit) {
      show(checked);
      if (isEdit) keepSoon(checked.title !== "");
    },
    goTo,
    tell,
  });
}

/**
 * Keep what was edited in the form, and begin the trial beside it anew.
 * @param {boolean} isGood
 */
function keepSoon(isGood) {
  clearTimeout(saving);
  saving = window.setTimeout(async () => {
    // What is edited meanwhile comes first; its answer calls this again.
    if (isRefused || filled.isBusy || editor.text() === kept) return;
    // What would be lost is told before: who presses Save has read it.
    if (part("lost", HTMLElement).firstElementChild) return;
    const said = saved.textContent;
    // Not what somebody is typing: half an answer would become one.
    if (!(await keep())) return;
    if (said && said !== SAVED) tell(said);
    if (isGood && !filled.isBusy) await tryBeside();
  }, 800);
}

/** Show the trial of the draft as it is kept, where there is room: what stands there stays until
 *  the next one is drawn. */
async function tryBeside() {
  if (!isWide.matches || !document.querySelector("#checked .costs")) return;
  const { status, answer } = await send(form.dataset.try ?? "").catch(lost);
  if (status !== 200 || answer === null) return;
  tried = answer.link;
  showCard();
}

/** @param {Event} event of a card, or of what is folded in it */
function turned({ target }) {
  if (!(target instanceof HTMLDetailsElement && target.name && target.open)) return;
  // The card that closes may be above: what opens comes into sight.
  target.querySelector("summary")?.scrollIntoView({ block: "nearest" });
  showCard();
}

/** Show in the trial what the open card is of: a question, or the first page. */
function showCard() {
  const [old, ...waiting] = document.querySelectorAll("#beside iframe");
  if (!tried || !(old instanceof HTMLIFrameElement)) return;
  const card = document.querySelector("#form details[name][open]");
  const id = card?.closest("li")?.dataset.id;
  const next = /** @type {HTMLIFrameElement} */ (old.cloneNode());
  next.src = tried + (id ? `&question=${id}` : "");
  if (next.src === (waiting.at(-1) ?? old).getAttribute("src")) return;
  for (const one of waiting) one.remove();
  next.addEventListener("load", () => old.remove());
  old.after(next);
}

/** @param {string} said */
function tell(said) {
  saved.textContent = said;
}

function lost() {
  return { status: 0, answer: null };
}

/** Send what is typed, and keep the text at the desk; return whether it is kept. */
async function save() {
  await filled.flush();
  return keep();
}

/** Keep one text after the other: the desk takes a text for another's that was sent before the
 *  answer to the one before it. */
function keep() {
  keeping = keeping.then(keepText);
  return keeping;
}

async function keepText() {
  const text = editor.text();
  const { status, answer } = await send(form.action).catch(lost);
  if (answer !== null && shown instanceof HTMLInputElement) shown.value = answer.shown;
  if (status === 200) {
    kept = text;
    part("lost", HTMLElement).replaceChildren();
  }
  isRefused = status !== 200;
  // What is being typed is not in it.
  const said = filled.isTyped ? "" : SAVED;
  tell(status === 200 ? said : refusal(status));
  return status === 200;
}

/**
 * Send the form as a page without script does, to go on with the draft.
 * @param {string} then
 */
function goOn(then) {
  const chosen = document.createElement("input");
  Object.assign(chosen, { type: "hidden", name: "then", value: then });
  area.value = editor.text();
  form.append(chosen);
  if (then === "ways") tell("Calculating …");
  form.submit();
  chosen.remove(); // whoever comes back chooses anew
  isGoing = true;
}

function changed() {
  tell("");
  clearTimeout(timer);
  timer = window.setTimeout(() => filled.read(), PAUSE);
}

function begin() {
  host.hidden = false;
  area.hidden = true;
  part("keys", HTMLElement).hidden = false;
  editor = mount({ host, text: area.value, label: "Survey file", onChange: changed });
  part("save", HTMLButtonElement).textContent = "Save";
  faces();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter;
    const then = button instanceof HTMLButtonElement ? button.value : "";
    isRefused = false;
    if (isGoing || !(await save())) return;
    if (then) goOn(then);
  });
  form.addEventListener("keydown", (event) => {
    // The first button of the form would be pressed: it leads to another page.
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      form.requestSubmit();
    }
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("input", () => saved.textContent === SAVED && tell(""));
  addEventListener("beforeunload", (event) => {
    if (editor.text() !== kept) event.preventDefault();
  });
  addEventListener("pageshow", () => (isGoing = false));
  show(checkedIn(document));
  part("found", HTMLElement).addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    // The count leads to the first of the list.
    const first = link?.closest("#verdict") ? document.querySelector(`${link.hash} li`) : null;
    const item = first ?? link?.closest("li");
    if (!(item instanceof HTMLElement)) return;
    event.preventDefault();
    const { line, column, place } = item.dataset;
    goTo({ line: Number(line), column: Number(column), place: JSON.parse(place ?? "[]") });
  });
  part("drawn", HTMLElement).addEventListener("toggle", turned, { capture: true });
  void tryBeside();
  // It has room once a window becomes wider, too.
  isWide.addEventListener("change", tryBeside);
}

begin();
