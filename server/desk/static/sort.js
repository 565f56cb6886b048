// Moves the cards of a form by their handles.

/**
 * Move cards by their handles: by pointer, or by arrow keys.
 * @param {HTMLElement} host
 * @param {(item: HTMLElement, to: number) => void} move
 */
export function sort(host, move) {
  const items = () => /** @type {HTMLElement[]} */ ([...host.querySelectorAll("#cards > li")]);
  /** @param {EventTarget | null} target */
  const held = (target) =>
    target instanceof Element ? (target.closest(".handle")?.closest("li") ?? null) : null;
  host.addEventListener("keydown", (event) => {
    const item = held(event.target);
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (item === null || step === 0) return;
    event.preventDefault();
    const to = items().indexOf(item) + step;
    if (to >= 0 && to < items().length) move(item, to);
  });
  host.addEventListener("pointerdown", (down) => {
    const item = held(down.target);
    const handle = item?.querySelector(".handle");
    if (!(item instanceof HTMLElement) || !(handle instanceof HTMLElement)) return;
    down.preventDefault();
    handle.focus();
    handle.setPointerCapture(down.pointerId);
    item.classList.add("held");
    const others = items().filter((one) => one !== item);
    let to = items().indexOf(item);
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
      for (const one of items()) one.classList.remove("held", "above", "below");
      if (to !== items().indexOf(item)) move(item, to);
    };
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("lostpointercapture", end, { once: true });
  });
}
