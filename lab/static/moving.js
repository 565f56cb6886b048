/** What moves once, when a page is shown first; nothing does for those who want no motion. */

/** @param {Element} part @param {Keyframe[]} frames @param {number} [delay] @param {number} [duration] */
export function animate(part, frames, delay = 0, duration = 700) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  part.animate(frames, { duration, delay, easing: "ease-out", fill: "backwards" });
}

/**
 * Draw the pictures before one's eyes: bars grow, dots fall to their places, lines come from the
 * left.
 * @param {Element} pictures
 */
export function move(pictures) {
  for (const mark of pictures.querySelectorAll(".plot [fill] > rect")) {
    animate(mark, [{ transform: "scaleY(0)" }, { transform: "none" }]);
  }
  pictures.querySelectorAll(".plot circle").forEach((dot, place) => {
    const from = { transform: "translateY(-12rem)", opacity: 0 };
    animate(dot, [from, { transform: "none" }], Math.min(900, place * 15));
  });
  for (const line of pictures.querySelectorAll(".plot path")) {
    animate(line, [{ clipPath: "inset(-1rem 100% -1rem 0)" }, { clipPath: "inset(-1rem)" }]);
  }
}
