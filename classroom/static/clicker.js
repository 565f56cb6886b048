/** A clicker, as presenters walk with: PageDown and → go on, PageUp and ← go back. */

/** @type {Record<string, "next" | "back" | undefined>} */
const WAYS = { PageDown: "next", ArrowRight: "next", PageUp: "back", ArrowLeft: "back" };

/** Where a key has a meaning of its own. */
const OWN = "input, select, textarea";

/** @param {(way: "next" | "back") => void} go */
export function onClicks(go) {
  addEventListener("keydown", (event) => {
    const { key, target, altKey, ctrlKey, metaKey, shiftKey, repeat } = event;
    const way = WAYS[key];
    if (!way || altKey || ctrlKey || metaKey || shiftKey || repeat) return;
    if (target instanceof Element && target.closest(OWN)) return;
    event.preventDefault();
    go(way);
  });
}
