/**
 * Making elements. Survey text goes in as text, never as markup: what a researcher writes cannot
 * become a script, a link or an image that would carry an answer away.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean>} attributes true sets an empty one, false leaves it out
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** @param {(Node | string)[]} content */
export const paragraph = (...content) => element("p", {}, ...content);

/** What is said in smaller letters. @param {(Node | string)[]} content */
export const hint = (...content) => element("p", { class: "hint" }, ...content);

/** @param {(Node | string)[]} lines */
export const points = (lines) => lines.map((line) => element("li", {}, line));

/** @param {string[]} lines a paragraph each @param {string} [kind] how they look */
export const inParagraphs = (lines, kind) =>
  lines.map((line) => element("p", { class: kind ?? false }, line));

/** What browsers do with what is typed: some send it to their makers. */
const UNREAD = { spellcheck: "false", autocorrect: "off", writingsuggestions: "false" };

/**
 * An input that the browser keeps nothing of: no `name`, so that no form can carry it, and
 * `autocomplete="off"`, without which Chromium writes unsent answers to its session file.
 * @param {string} type
 * @param {Record<string, string | boolean>} attributes
 */
export function forgetfulInput(type, attributes) {
  const typed = type === "text" ? UNREAD : {};
  return element("input", { type, autocomplete: "off", ...typed, ...attributes });
}

/** What shows a person's own answer, or report: no browser sends it to those who translate. @type {Record<string, string>} */
export const OWN = { translate: "no" };

/**
 * What is shown only when it is opened.
 * @param {string} name
 * @param {string | Node} summary
 * @param {(Node | string)[]} content
 */
export const folded = (name, summary, content) =>
  element("details", { class: name }, element("summary", {}, summary), ...content);

/**
 * A button that sends no form.
 * @param {Record<string, string>} attributes
 * @param {string} words
 * @param {() => void} act
 * @param {AddEventListenerOptions} [options]
 */
export function clickable(attributes, words, act, options) {
  const button = element("button", { type: "button", ...attributes }, words);
  button.addEventListener("click", act, options);
  return button;
}

/**
 * A link, but for its markup: no browser fetches where it leads before it is pressed.
 * @param {string} words
 * @param {() => void} act
 * @param {Record<string, string>} attributes
 */
export const linked = (words, act, attributes = {}) =>
  clickable({ role: "link", class: "link", ...attributes }, words, act);

/** What leads to an address. @param {string} words @param {string} address */
export const leading = (words, address) =>
  linked(words, () => location.assign(address), { "data-leads": address });

/**
 * A button that acts once.
 * @param {string} kind how it looks
 * @param {string} words
 * @param {() => void} act
 */
export const pressed = (kind, words, act) => clickable({ class: kind }, words, act, { once: true });
