// The edits of a draft's form: what a field, a button or a moved item asks the desk to change.

/** @typedef {Record<string, unknown> & { do: string }} Edit */
/** @typedef {import("./turn.js").Control} Control */

/** @param {Element} one */
function numberOf(one) {
  const card = one.closest("#cards > li");
  return card instanceof HTMLElement ? Number(card.dataset.number) : -1;
}

/** @param {Control} control @param {Set<Control>} typed @returns {Edit | null} */
export function edited(control, typed) {
  const number = numberOf(control);
  const [field, place] = [control.closest("[data-place]"), placeOf(control)];
  const isTick = control instanceof HTMLInputElement && control.type === "checkbox";
  const value = isTick ? (control.checked ? "true" : "") : control.value;
  const name = control.dataset.do ?? "";
  const need = control.closest(".need");
  if (need instanceof HTMLElement) {
    const item = need.dataset.item ?? "";
    if (name === "needs") return { do: name, number, item, to: value, needed: null };
    const ticked = [...need.querySelectorAll("input:checked")];
    const ends = [...need.querySelectorAll("input[name]")].map((one) => [
      /** @type {HTMLInputElement} */ (one).name,
      /** @type {HTMLInputElement} */ (one).value,
    ]);
    const needed =
      name === "between"
        ? Object.fromEntries(ends.filter(([, end]) => end !== ""))
        : ticked.map((one) => /** @type {HTMLInputElement} */ (one).value);
    return { do: "needs", number, item, to: item, needed };
  }
  if (name === "together") {
    const groups = [...(field?.querySelectorAll("fieldset") ?? [])].map((group) =>
      [.../** @type {NodeListOf<HTMLInputElement>} */ (group.querySelectorAll("input"))].filter(
        (one) => one.checked,
      ),
    );
    // Of the first one of a group nothing can be said yet.
    const isBegun = groups.some(([first, second]) => first && !second && !first.defaultChecked);
    const full = groups.filter((ticked) => ticked.length > 1);
    return isBegun ? null : { do: name, value: full.map((ids) => ids.map((one) => one.value)) };
  }
  if (name === "lines") return { do: name, place, value: linesOf(field, typed) };
  if (name === "parameter" || name === "code") {
    return { do: name, number, place, key: control.name || control.dataset.code, value };
  }
  return { do: name, number, place, language: control.lang, value };
}

/**
 * Return answers or rows, each with its code; what is written below one in its field is new. What
 * is being typed is as the desk drew it: its own edit follows, and would add it twice.
 * @param {Element | null} host
 * @param {Set<Control>} typed
 */
function linesOf(host, typed) {
  const areas = [...(host?.querySelectorAll("textarea") ?? [])];
  return areas.flatMap((one) =>
    (typed.has(one) ? one.defaultValue : one.value)
      .split("\n")
      .map((line, at) => [(at === 0 && one.dataset.code) || "", line]),
  );
}

/** @param {HTMLElement} item @param {number} to @param {Set<Control>} typed @returns {Edit} */
export function moved(item, to, typed) {
  if (item.dataset.number) return { do: "move", number: Number(item.dataset.number), to };
  const items = [...(item.parentElement?.children ?? [])];
  items.splice(to, 0, ...items.splice(items.indexOf(item), 1));
  return { do: "lines", place: placeOf(item), value: items.flatMap((one) => linesOf(one, typed)) };
}

/** @param {Element} one */
function placeOf(one) {
  const field = one.closest("[data-place]");
  return JSON.parse(field instanceof HTMLElement ? (field.dataset.place ?? "[]") : "[]");
}

/** @param {HTMLButtonElement} button @param {Set<Control>} typed @returns {Edit | null} */
export function pressed(button, typed) {
  const number = numberOf(button);
  const name = button.dataset.do ?? "";
  if (name === "up" || name === "down") {
    return { do: "move", number, to: name === "up" ? number - 1 : number + 1 };
  }
  if (name === "add") {
    const at = document.querySelectorAll("#cards > li").length;
    return { do: name, kind: button.value, number: at, at };
  }
  if (name === "language") {
    const chosen = /** @type {HTMLSelectElement} */ (document.getElementById("new-language"));
    return chosen.value ? { do: name, value: chosen.value } : null;
  }
  if (name === "set" || name === "right") {
    return { do: name, place: placeOf(button), value: button.value };
  }
  if (name === "drop") {
    const lines = linesOf(button.closest("[data-place]"), typed);
    const value = lines.filter(([code]) => code !== button.value);
    return { do: "lines", place: placeOf(button), value };
  }
  return { do: name, number, at: number + 1, value: button.value };
}
