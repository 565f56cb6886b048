/** Saving a picture as a file, with its caption: for slides, handouts and papers. */

import { draw } from "./elements.js";

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-size"];
const [MARGIN, LINE] = [16, 20];

/** Write into a copy what the page's style says of its original. @param {Element} copy @param {Element} original */
function keepLook(copy, original) {
  const style = getComputedStyle(original);
  for (const name of KEPT) copy.setAttribute(name, style.getPropertyValue(name));
}

/**
 * Break a text into lines.
 * @param {string} text
 * @param {number} most characters of a line
 */
export function lines(text, most) {
  return text.split(" ").reduce((/** @type {string[]} */ all, word) => {
    const last = all.at(-1);
    if (last !== undefined && last.length + word.length < most) all.push(`${all.pop()} ${word}`);
    else all.push(word);
    return all;
  }, []);
}

/**
 * The picture of a figure, its axes, legend and caption, as an SVG that needs no style beside it.
 * @param {Element} figure
 */
export function standalone(figure) {
  const chart = /** @type {SVGSVGElement} */ (figure.querySelector("svg.plot"));
  const copy = /** @type {SVGSVGElement} */ (chart.cloneNode(true));
  for (const grip of copy.querySelectorAll(".grip")) grip.remove();
  const originals = [...chart.querySelectorAll("*:not(.grip, .grip *)")];
  [...copy.querySelectorAll("*")].forEach((part, place) => keepLook(part, originals[place]));
  const { width, height } = chart.viewBox.baseVal;
  const { color, backgroundColor } = getComputedStyle(figure);
  const texts = [...figure.querySelectorAll(".axis")].map((axis) => `${axis.textContent}`);
  const said = lines(`${figure.querySelector("figcaption")?.textContent}`, width / 7.5);
  const write = (/** @type {string} */ text, /** @type {number} */ y, end = false) =>
    draw(
      "text",
      { x: end ? width - MARGIN : MARGIN, y, ...(end && { "text-anchor": "end" }) },
      text,
    );
  const legend = [...figure.querySelectorAll(".legend li")].map((one, place) => {
    const at = `translate(${MARGIN} ${height + (place + 4) * LINE})`;
    const shape = /** @type {SVGElement} */ (one.querySelector("svg")?.firstElementChild);
    const sample = /** @type {SVGElement} */ (shape.cloneNode(true));
    keepLook(sample, shape);
    return draw(
      "g",
      { transform: at },
      sample,
      draw("text", { x: 44, y: 13 }, `${one.textContent}`),
    );
  });
  copy.setAttribute("y", `${1.5 * LINE}`);
  copy.setAttribute("width", `${width}`);
  copy.setAttribute("height", `${height}`);
  const below = height + (legend.length + 5) * LINE;
  const high = below + said.length * LINE;
  return draw(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${high}`,
      width,
      height: high,
      fill: color,
      color,
      "font-family": "system-ui, sans-serif",
      "font-size": 14,
    },
    draw("rect", { width, height: high, fill: backgroundColor }),
    write(texts[0], LINE),
    copy,
    write(texts[1], height + 2.5 * LINE, true),
    ...legend,
    ...said.map((line, place) => draw("text", { x: MARGIN, y: below + place * LINE }, line)),
  );
}

/** @param {Element} figure */
export function save(figure) {
  const text = new XMLSerializer().serializeToString(standalone(figure));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = `${figure.getAttribute("data-picture")}.svg`;
  link.click();
  URL.revokeObjectURL(link.href);
}
