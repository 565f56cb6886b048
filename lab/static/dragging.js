/** Moving a slider in the picture itself: a grip on the axis that shows it. The slider has the keys. */

import { draw, valueOf } from "./elements.js";

/** How a picture that was drawn reads a point of it. @type {WeakMap<Element, LabGrip>} */
const grips = new WeakMap();

/**
 * Put a slider where it is nearest to a value.
 * @param {LabGrip["slider"]} slider or a choice among numbers
 * @param {number} value
 */
function put(slider, value) {
  const places =
    slider instanceof HTMLSelectElement
      ? [...slider.options].map((option) => Number(option.value))
      : slider.dataset.places?.split(" ").map(Number);
  const away = (/** @type {number} */ place) => Math.abs((places?.[place] ?? 0) - value);
  const nearest = places && [...places.keys()].sort((a, b) => away(a) - away(b))[0];
  const before = slider.value;
  if (slider instanceof HTMLSelectElement) slider.selectedIndex = Number(nearest);
  else slider.value = `${nearest ?? value}`;
  if (slider.value !== before) slider.dispatchEvent(new Event("input", { bubbles: true }));
}

/** @param {PointerEvent} event @param {Element} place */
function follow(event, place) {
  const grip = grips.get(place);
  if (!grip) return;
  const { left, width } = grip.svg.getBoundingClientRect();
  const ratio = grip.svg.viewBox.baseVal.width / width;
  put(grip.slider, grip.read((event.clientX - left) * ratio));
}

/** @param {HTMLElement} place */
function listen(place) {
  place.addEventListener("pointerdown", (event) => {
    if (!(event.target instanceof Element && event.target.closest("svg.plot"))) return;
    place.setPointerCapture(event.pointerId);
    follow(event, place);
  });
  place.addEventListener("pointermove", (event) => {
    if (place.hasPointerCapture(event.pointerId)) follow(event, place);
  });
}

/**
 * Draw the grip, and let it be dragged.
 * @param {HTMLElement} place of the picture
 * @param {LabPlot} svg
 * @param {LabDrag} drag
 */
export function lendGrip(place, svg, [name, scale, power]) {
  const slider = document.getElementById(name);
  const axis = svg.scale("x");
  const movable = slider instanceof HTMLInputElement || slider instanceof HTMLSelectElement;
  if (!movable || !axis?.invert) return;
  if (!grips.has(place)) listen(place);
  const { invert, apply } = axis;
  grips.set(place, { svg, slider, read: (at) => (invert(at) / scale) ** power });
  place.dataset.drag = name;
  const at = apply(Number(valueOf(slider)) ** power * scale);
  const upwards = svg.scale("y")?.range ?? [0, 0];
  const [bottom, top] = [Math.max(...upwards), Math.min(...upwards)];
  svg.append(
    draw(
      "g",
      { class: "grip" },
      draw("line", { x1: at, y1: bottom, x2: at, y2: top }),
      draw("circle", { cx: at, cy: bottom, r: 10 }),
      draw("path", {
        d: "M-3,-4L-7,0L-3,4M3,-4L7,0L3,4",
        transform: `translate(${at} ${bottom})`,
      }),
    ),
  );
}
