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
    if (name !== "open" || now.querySelector(".wrong")) old.setAttribute(name, value);
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
