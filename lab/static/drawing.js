/** Pictures, from what the route says of them to lines and bars. Colours are in lab.css. */

import { draw, make } from "./elements.js";
import * as Plot from "./vendor/plot.js";

/** How a line of each tone is dashed, so that colours are not needed to tell them apart. */
const DASHES = ["none", "9 4", "2 4", "12 3 2 3"];

/** @param {LabSeries} series */
const points = ({ x, y, name }) => x.map((at, place) => ({ x: at, y: y[place], name }));

/** @param {number} tone */
const colour = (tone) => `var(--tone-${tone})`;

/**
 * @param {LabSeries} series
 * @param {boolean} grouped whether bars stand side by side
 * @returns {Plot.Mark[]}
 */
function marks(series, grouped) {
  const { mark, tone } = series;
  const data = points(series);
  const stroke = { stroke: colour(tone), strokeWidth: 2.5 };
  if (mark === "line") {
    return [Plot.line(data, { x: "x", y: "y", ...stroke, strokeDasharray: DASHES[tone] })];
  }
  if (mark === "dots") return [Plot.dot(data, { x: "x", y: "y", r: 6, fill: colour(tone) })];
  if (mark === "upright") {
    return [Plot.ruleX(series.x, { ...stroke, strokeDasharray: DASHES[tone] })];
  }
  if (mark === "steps") {
    const step = { x: "x", y: "y", curve: "step" };
    return [
      Plot.areaY(data, { ...step, fill: colour(tone), fillOpacity: 0.3 }),
      Plot.line(data, { ...step, stroke: colour(tone), strokeWidth: 1.5 }),
    ];
  }
  const where = grouped ? { fx: "x", x: "name" } : { x: "x" };
  return [Plot.barY(data, { ...where, y: "y", fill: colour(tone) })];
}

/**
 * @param {LabPicture} picture
 * @param {number} width in pixels
 * @param {number} size of the text, in pixels
 * @returns {SVGSVGElement}
 */
function chart(picture, width, size) {
  const { series, x, y, x_range: xRange, y_range: yRange, logarithmic } = picture;
  const bars = series.some(({ mark }) => mark === "bars");
  const grouped = bars && series.length > 1;
  const categories = bars ? series[0].x : undefined;
  const type = logarithmic ? { type: "log" } : {};
  const ticks = Math.max(3, Math.round(width / (6 * size)));
  const across = { label: null, ...(logarithmic ? { ticks, tickFormat: "~s" } : { ticks }) };
  return Plot.plot({
    className: "plot",
    width,
    height: Math.round(Math.min(width * 0.62, 26 * size)),
    marginLeft: 3.6 * size,
    marginBottom: 2.4 * size,
    marginTop: 1.2 * size,
    marginRight: 1.4 * size,
    ariaLabel: picture.caption,
    ariaDescription: `Across: ${x}. Upwards: ${y}. The table below has the numbers.`,
    x: bars
      ? grouped
        ? { axis: null, domain: series.map(({ name }) => name) }
        : { type: "band", label: null, domain: categories }
      : { ...type, ...across, domain: xRange ?? undefined, nice: xRange === null && !logarithmic },
    ...(grouped ? { fx: { label: null, axis: "bottom", padding: 0.2, domain: categories } } : {}),
    y: { ...type, label: null, grid: true, ticks: 6, domain: yRange ?? undefined },
    marks: [
      ...series.map((one) => marks(one, grouped)),
      ...(logarithmic || yRange?.[0] ? [] : [Plot.ruleY([0], { stroke: "currentColor" })]),
    ],
  });
}

/** @param {LabSeries} series what a line of the legend shows */
function sample({ mark, tone }) {
  const common = { stroke: colour(tone), "stroke-width": 3, "stroke-dasharray": DASHES[tone] };
  const shape = {
    line: () => draw("line", { x1: 1, y1: 8, x2: 35, y2: 8, ...common }),
    upright: () => draw("line", { x1: 18, y1: 0, x2: 18, y2: 16, ...common }),
    dots: () => draw("circle", { cx: 18, cy: 8, r: 6, fill: colour(tone) }),
    bars: () => draw("rect", { x: 10, y: 0, width: 16, height: 16, fill: colour(tone) }),
    steps: () => draw("rect", { x: 4, y: 2, width: 28, height: 14, fill: colour(tone) }),
  }[mark]();
  return draw("svg", { width: 36, height: 16, "aria-hidden": "true" }, shape);
}

/**
 * Draw a picture, with its legend and what its axes show.
 * @param {LabPicture} picture
 * @param {Element} place where it goes, as wide as it is there
 */
export function show(picture, place) {
  const size = parseFloat(getComputedStyle(place).fontSize);
  const svg = chart(picture, Math.max(240, place.clientWidth), size);
  // The policy of the page blocks style elements; what they say stands in lab.css.
  for (const style of svg.querySelectorAll("style")) style.remove();
  // An image to a screen reader, with one name: that of its caption.
  svg.setAttribute("role", "img");
  for (const part of svg.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
  const named = picture.series.filter(({ name }) => name !== "");
  const legend = named.map((one) => make("li", {}, sample(one), one.name));
  place.replaceChildren(
    make("p", { class: "axis" }, `↑ ${picture.y}`),
    svg,
    make("p", { class: "axis across" }, `${picture.x} →`),
    ...(legend.length > 0 ? [make("ul", { class: "legend" }, ...legend)] : []),
  );
}
