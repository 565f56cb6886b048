// The form of a draft. It draws nothing of its own: each edit goes to the desk with the text, and
// what comes back, the text and the form of it, takes the place of what stands here. What somebody
// is typing meanwhile stays.

import { ask } from "./ask.js";
import { keepEarlier, takeEarlier } from "./earlier.js";
import { edited, moved, pressed } from "./edits.js";
import { sort } from "./sort.js";
import { forget, isControl, isNumber, keepItems, leave, turn } from "./turn.js";

/** Milliseconds without a move, after which a slider's value is sent. */
const PAUSE = 250;

/** @typedef {import("./edits.js").Edit} Edit */
/** @typedef {import("./turn.js").Control} Control */
/**
 * @typedef {{mistakes: {line: number, column: number, message: string}[], title: string}} Checked
 *   The title of a survey without a mistake, else empty.
 */

/**
 * @typedef {object} Options
 * @property {HTMLElement} host What holds the form and the languages.
 * @property {string} address Where edits go.
 * @property {() => FormData} data What goes with each.
 * @property {() => string} text
 * @property {(text: string) => void} replace
 * @property {(checked: Checked, isEdit: boolean) => void} answered
 * @property {(place: {line: number, column: number}) => void} goTo
 * @property {(said: string) => void} tell
 */

/** Sends what is edited, one after the other, and shows what comes back. */
export class Form {
  /** @type {(() => Edit | null)[]} */
  #queue = [];
  /** @type {Set<Control>} */
  #typed = new Set();
  /** @type {string[]} */
  #before = [];
  /** @type {Promise<void> | null} */
  #running = null;
  #timer = 0;
  #undo = /** @type {HTMLButtonElement} */ (document.getElementById("undo"));
  #options;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    const { host } = options;
    host.addEventListener("input", ({ target }) => isControl(target) && this.#changing(target));
    host.addEventListener("change", ({ target }) => {
      if (!isControl(target) || target.type === "range" || !target.dataset.do) return;
      // A number was sent when typing paused, and lines by Save: twice would add an answer twice.
      const isTyped = isNumber(target) || target instanceof HTMLTextAreaElement;
      if (!isTyped || this.#typed.has(target)) this.#send(target);
    });
    document.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest("button") : null;
      if (button) this.#press(button);
    });
    const used = takeEarlier();
    if (used) {
      this.#before.push(used.text);
      this.#undo.disabled = false;
      options.tell(`Changed: ${used.words}. Undo goes back.`);
    }
    keepEarlier();
    this.#undo.addEventListener("click", () => this.#goBack());
    addEventListener("keydown", (event) => this.#key(event));
    sort(host, (item, to) => this.#add(() => moved(item, to, this.#typed)));
  }

  get isBusy() {
    return this.#running !== null;
  }

  /** Check the text as it is now, and draw it. */
  read() {
    this.#add(() => ({ do: "read" }));
  }

  /** Whether something is typed and not sent yet. */
  get isTyped() {
    return this.#typed.size > 0;
  }

  /** Send what is typed and not sent yet. */
  async flush() {
    clearTimeout(this.#timer);
    for (const one of this.#typed) this.#send(one);
    while (this.#running) await this.#running;
  }

  /** @param {Edit | null} edit @param {string} now */
  async #apply(edit, now) {
    const { address, data, text, replace, answered, tell } = this.#options;
    const [was, body] = [text(), data()];
    body.set("text", now);
    if (edit !== null) body.set("edit", JSON.stringify(edit));
    const waiting = setTimeout(() => tell("Calculating …"), 2 * PAUSE);
    const page = await ask(address, body);
    clearTimeout(waiting);
    const made = page?.getElementById("made");
    if (!page || !made) {
      tell("The desk did not take this. Perhaps you are signed out: copy your text, and reload.");
      return;
    }
    const next = /** @type {HTMLTextAreaElement} */ (made).value;
    if (edit !== null && next !== was) this.#before.push(was);
    this.#undo.disabled = this.#before.length === 0;
    // What is typed into the text while it is read stays.
    if (next !== was) replace(next);
    this.#redraw(page);
    answered(checkedIn(page), next !== was);
    tell(page.getElementById("refused")?.textContent ?? "");
    if (edit?.do === "add" || edit?.do === "copy") this.#show(Number(edit.at));
    if ((edit?.do !== "remove" && edit?.do !== "merge") || next === was) return;
    if (edit.do === "remove") tell("The question is deleted. Undo brings it back.");
    // To the question that stands there now: where nothing has the focus, no key undoes it.
    const handles = this.#options.host.querySelectorAll("#cards > li > .handle");
    const near = handles[Math.min(Number(edit.number), handles.length - 1)] ?? this.#undo;
    /** @type {HTMLElement} */ (near).focus();
  }

  /** @param {Document} page */
  #redraw(page) {
    keepItems(page);
    const focused = document.activeElement;
    const id = focused?.id ?? "";
    const top = focused?.getBoundingClientRect().top ?? 0;
    const line = focused?.closest(".lines > li")?.nextElementSibling;
    document.title = page.title;
    for (const part of ["study-name", "form", "languages", "lost", "verdict", "remarks", "costs"]) {
      const [old, now] = [document.getElementById(part), page.getElementById(part)];
      // While there is a mistake nothing can be calculated: what was before stays, and says so.
      const isOld = old?.matches(":has(table)") && !now?.matches(":has(table)") && part === "costs";
      if (old && now && !isOld) turn(old, now, this.#typed);
      else old?.classList.add("old");
    }
    for (const one of this.#typed) forget(one);
    if (id && document.activeElement?.id !== id) {
      (document.getElementById(id) ?? line?.querySelector("textarea"))?.focus();
    }
    // Nothing moves the first question up: its handle, the first button of a card, stays.
    if (focused?.matches(":disabled")) focused.closest("li")?.querySelector("button")?.focus();
    // Between the press of a label and its click, nothing has the focus.
    if (document.activeElement !== document.body) leave(document.activeElement);
    // What somebody is at stays where it was, whatever appears above it.
    if (focused?.isConnected) scrollBy(0, focused.getBoundingClientRect().top - top);
  }

  /** @param {number} number */
  #show(number) {
    const card = this.#options.host.querySelector(`#cards > li[data-number="${number}"]`);
    const details = card?.querySelector("details");
    if (details) details.open = true;
    const words = card?.querySelector("textarea");
    words?.focus();
    words?.select();
  }

  /** @param {() => Edit | null} make */
  #add(make) {
    this.#queue.push(make);
    this.#running ??= this.#run();
  }

  async #run() {
    // A turn later: what waits for this must know of it before it can be over.
    await Promise.resolve();
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const edit = next();
      if (edit === null) continue;
      await this.#apply(edit.do === "read" ? null : edit, this.#options.text());
    }
    this.#running = null;
  }

  /** @param {Control} control */
  #send(control) {
    const file = control instanceof HTMLInputElement ? control.files?.[0] : undefined;
    if (file) {
      this.#typed.delete(control);
      void this.#picture(file);
      return;
    }
    // What comes back meanwhile of an edit before this one knows nothing of it.
    this.#typed.add(control);
    this.#add(() => {
      this.#typed.delete(control);
      return this.#options.host.contains(control) ? edited(control, this.#typed) : null;
    });
  }

  /** @param {File} file */
  async #picture(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const value = `data:image/png;base64,${btoa(String.fromCharCode(...bytes.slice(0, 2 ** 15)))}`;
    this.#add(() => ({ do: "set", place: ["logo"], value }));
  }

  /** @param {Control} control */
  #changing(control) {
    this.#typed.add(control);
    forget(control);
    if (control.type !== "range" && !isNumber(control)) return;
    clearTimeout(this.#timer);
    const wait = control.type === "range" ? PAUSE : 3 * PAUSE;
    this.#timer = window.setTimeout(() => this.#send(control), wait);
  }

  /** @param {HTMLButtonElement} button */
  #press(button) {
    if (button.dataset.line) this.#options.goTo({ line: Number(button.dataset.line), column: 1 });
    if (!button.dataset.do) return;
    this.#add(() => pressed(button, this.#typed));
  }

  async #goBack() {
    await this.flush();
    const last = this.#before.pop();
    if (last !== undefined) await this.#apply(null, last);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key === "z" && !event.shiftKey;
    const [first] = event.composedPath();
    const isTyping = isControl(first) || !this.#options.host.contains(document.activeElement);
    if (!isUndo || isTyping || this.#undo.disabled) return;
    event.preventDefault();
    this.#undo.click();
  }
}

/** @param {Document} page @returns {Checked} */
export function checkedIn(page) {
  return JSON.parse(page.getElementById("checked")?.dataset.checked ?? "");
}
