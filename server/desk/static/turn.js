// Makes a part of a page what another one says, and keeps what somebody does there.

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

/** @param {unknown} one @returns {one is Control} */
export function isControl(one) {
  return (
    one instanceof HTMLInputElement ||
    one instanceof HTMLTextAreaElement ||
    one instanceof HTMLSelectElement
  );
}

/**
 * Let a card whose question, or a line whose answer, is called otherwise now stay what it was.
 * @param {Document} page
 */
export function keepItems(page) {
  for (const old of document.querySelectorAll("#cards > li, .lines > li")) {
    const [above, was] = [old.parentElement, old.id];
    const at = [...(above?.children ?? [])].indexOf(old);
    const now = page.getElementById(above?.id ?? "")?.children[at];
    if (!now || page.getElementById(old.id) || document.getElementById(now.id)) continue;
    for (const one of [old, ...old.querySelectorAll("[id]")]) one.id = one.id.replace(was, now.id);
  }
}

/**
 * Make a part of the page what another one says, in place: elements are found again by their ids,
 * what is open stays open, and what somebody types stays.
 * @param {Element} old
 * @param {Element} now
 * @param {Set<Element>} typed
 */
export function turn(old, now, typed) {
  for (const { name } of [...old.attributes]) {
    if (!now.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of [...now.attributes]) {
    // Of the cards of questions one is open, and the browser closes the others.
    const opens = now.querySelector(".wrong") !== null && !now.hasAttribute("name");
    if (name !== "open" || opens) old.setAttribute(name, value);
  }
  /** @type {ChildNode | null} */
  let place = old.firstChild;
  for (const child of [...now.childNodes]) {
    const same = found(old, child, place);
    if (same === null) {
      old.insertBefore(document.importNode(child, true), place);
      continue;
    }
    if (same === place) place = place.nextSibling;
    else old.insertBefore(same, place);
    if (same instanceof Element && child instanceof Element) turn(same, child, typed);
    else if (same.nodeValue !== child.nodeValue) same.nodeValue = child.nodeValue;
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
  if (!isControl(old) || typed.has(old)) return;
  const said = /** @type {Control} */ (/** @type {unknown} */ (now));
  if (old instanceof HTMLInputElement) old.checked = now.hasAttribute("checked");
  if (old.value !== said.value) old.value = said.value;
}

/**
 * Find which child becomes another one.
 * @param {Element} old
 * @param {ChildNode} child
 * @param {ChildNode | null} place
 */
function found(old, child, place) {
  const id = "id" in child ? String(child.id) : "";
  if (id) return old.querySelector(`:scope > #${CSS.escape(id)}`);
  const hasId = place !== null && "id" in place && place.id !== "";
  return place !== null && !hasId && place.nodeName === child.nodeName ? place : null;
}

/**
 * Find the field that a mistake is about, else one near it.
 * @param {unknown[]} place
 */
export function fieldOf(place) {
  const fields = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#form .field")]);
  for (let end = place.length; end > 0; end -= 1) {
    const said = String(place.slice(0, end));
    const field = fields.find(({ dataset }) => {
      return String(JSON.parse(dataset.place ?? "[]").slice(0, end)) === said;
    });
    if (field) return field;
  }
  return null;
}

/**
 * Show a field, with all that it is folded in, and put the focus there.
 * @param {Element | null} one
 */
export function lead(one) {
  for (let up = one; up; up = up.parentElement)
    if (up instanceof HTMLDetailsElement) up.open = true;
  const control = isControl(one)
    ? one
    : (one?.querySelector('[aria-describedby*="-wrong"]:enabled') ??
      one?.querySelector(":is(input, select, textarea):enabled") ??
      one?.querySelector("summary"));
  if (!(control instanceof HTMLElement)) return false;
  control.focus();
  // What is said of it may stand well below; the card that opens comes into sight first.
  const said = control.closest("[data-place]")?.querySelector('[id*="-wrong"]');
  setTimeout(() => said?.scrollIntoView({ block: "nearest" }));
  return true;
}

/**
 * Show what is missing in a group of fields that somebody has begun, as soon as they leave it.
 * @param {EventTarget | null} at Where they are.
 */
export function leave(at) {
  for (const field of document.querySelectorAll("[data-begun]"))
    if (!(at instanceof Node && field.contains(at))) field.removeAttribute("data-begun");
}

/** @param {Control} control Remove what was wrong with, or warned of, what it held before. */
export function forget(control) {
  const [named] = control.getAttribute("aria-describedby")?.match(/\S*-wrong/) ?? [];
  const wrong = named
    ? document.querySelectorAll(`[id^="${CSS.escape(named)}"]`)
    : (control.closest(".field")?.querySelectorAll(":scope > [id*=-wrong]") ?? []);
  for (const one of wrong) {
    for (const line of document.querySelectorAll("#remarks li"))
      if (line.textContent?.includes(one.textContent ?? "")) line.remove();
    one.remove();
  }
  for (const name of ["aria-invalid", "aria-describedby"]) control.removeAttribute(name);
}

/** @param {Control} control Whether what is typed has its effect in sight, before one leaves it. */
export function isNumber(control) {
  return control.inputMode !== "" && control.dataset.do === "set";
}

// Not as soon as a pointer is pressed: what is pressed would move from under it.
for (const kind of ["keyup", "click"]) addEventListener(kind, ({ target }) => leave(target));
addEventListener("submit", () => leave(null));
