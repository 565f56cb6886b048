// Moves the items of lists by their handles.

/**
 * Move items of a list by their handles: by pointer, or by arrow keys.
 * @param {HTMLElement} host
 * @param {(item: HTMLElement, to: number) => void} move
 */
export function sort(host, move) {
  /** @param {Element} item */
  const items = (item) => /** @type {HTMLElement[]} */ ([...(item.parentElement?.children ?? [])]);
  /** @param {EventTarget | null} target */
  const held = (target) =>
    target instanceof Element ? (target.closest(".handle")?.closest("li") ?? null) : null;
  host.addEventListener("keydown", (event) => {
    const item = held(event.target);
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (item === null || step === 0) return;
    event.preventDefault();
    const all = items(item);
    const to = all.indexOf(item) + step;
    if (to >= 0 && to < all.length) move(item, to);
  });
  host.addEventListener("pointerdown", (down) => {
    const item = held(down.target);
    const handle = item?.querySelector(".handle");
    if (!(item instanceof HTMLElement) || !(handle instanceof HTMLElement)) return;
    down.preventDefault();
    handle.focus();
    handle.setPointerCapture(down.pointerId);
    item.classList.add("held");
    const others = items(item).filter((one) => one !== item);
    let to = items(item).indexOf(item);
    /** @param {PointerEvent} event */
    const follow = (event) => {
      to = others.filter((one) => {
        const box = one.getBoundingClientRect();
        return box.top + box.height / 2 < event.clientY;
      }).length;
      others.forEach((one, at) => {
        one.classList.toggle("above", at === to);
        one.classList.toggle("below", at === others.length - 1 && to === others.length);
      });
    };
    const end = () => {
      handle.removeEventListener("pointermove", follow);
      for (const one of items(item)) one.classList.remove("held", "above", "below");
      if (to !== items(item).indexOf(item)) move(item, to);
    };
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("lostpointercapture", end, { once: true });
  });
}
