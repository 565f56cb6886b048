/** How pictures move. Who wants less motion sees at once where it ends. */

/** @param {Element} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions} timing */
export function move(element, frames, timing) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
  return element.animate(frames, { easing: "ease-in-out", fill: "backwards", ...timing });
}

/** Where something falls in from, a different place for each. @param {number} at */
const from = (at) => `translate(${((at * 61) % 100) - 50}vw, -70vh)`;

/** Let what is new fall into its place, one after the other. @param {Element[]} all */
export function arrive(all) {
  const pause = 1500 / Math.max(all.length, 10);
  return all.map((one, at) => {
    const frames = [{ transform: from(at), opacity: 0 }, { opacity: 1 }, { transform: "none" }];
    return move(one, frames, { duration: 900, delay: at * pause });
  });
}
