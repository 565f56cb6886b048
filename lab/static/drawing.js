/** Pictures, from what the route says of them to lines and bars. Colours are in lab.css. */

import { draw, make, written } from "./elements.js";
import * as Plot from "./vendor/plot.js";

/** How a line of each tone is dashed, so that colours are not needed to tell them apart. */
const DASHES = ["none", "9 4", "2 4", "12 3 2 3", "none"];

/** How the outline of a bar is dashed whose length is not known. */
const OPEN = "4 4";

/** The name of what a picture marks at its settings; a guess is of what is marked first. */
const SET = "what is set";

/** The name of what waits for a guess. */
const UNKNOWN = "not known yet";

/** @param {LabSeries} series */
const points = ({ x, y, name }) => x.map((at, place) => ({ x: at, y: y[place], name }));

/** @param {number} tone */
const colour = (tone) => `var(--tone-${tone})`;

/**
 * Bars side by side differ in light and dark, too. Those of unknown length have no end.
 * @param {LabSeries} series
 */
function bar({ tone, between }) {
  const outline = { stroke: colour(tone), strokeWidth: 1.5 };
  if (!between) return { ...outline, y: "y", fill: colour(tone), fillOpacity: tone % 2 ? 0.3 : 1 };
  const beyond = () => 2 * between[1];
  return { ...outline, y: beyond, clip: true, fill: "none", strokeDasharray: OPEN };
}

/**
 * @param {LabSeries} series
 * @param {string | undefined} group the first of the bars that stand side by side
 * @param {number} r of a dot
 * @param {boolean} many whether lines without a name are thin, as there are so many
 * @returns {Plot.Mark[]}
 */
function marks(series, group, r, many) {
  const { mark, tone, name, rimmed } = series;
  const data = points(series);
  const stroke = { stroke: colour(tone), strokeWidth: many && !name ? 0.8 : 2.5 };
  if (mark === "line") {
    const dashed = { ...stroke, strokeDasharray: DASHES[tone] };
    return [Plot.line(data, { x: "x", y: "y", ...dashed })];
  }
  if (mark === "dots" || mark === "rings") {
    const paint = mark === "dots" ? "fill" : "stroke";
    const rim = rimmed ? { stroke: "var(--paper)" } : {};
    return [Plot.dot(data, { x: "x", y: "y", r, [paint]: colour(tone), ...rim })];
  }
  if (mark === "guess") {
    const across = group ? { fx: "x", x: () => group } : { x: "x" };
    const where = { ...across, y: "y", symbol: "diamond" };
    const paint = series.hollow
      ? { stroke: colour(tone), strokeWidth: 1.5, fill: "none" }
      : { stroke: "var(--paper)", fill: colour(tone) };
    const [y1, y2] = series.between ?? [];
    const open = { y1, y2, stroke: "var(--accent)", strokeWidth: 28, strokeOpacity: 0.16 };
    return [
      ...(series.between ? [Plot.ruleX(series.x, { ...open, className: "guess" })] : []),
      Plot.dot(data, { ...where, ...paint, className: "guess", r: data.length > 1 ? 0.5 * r : 9 }),
    ];
  }
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
  const where = group ? { fx: "x", x: "name" } : { x: "x" };
  return [Plot.barY(data, { ...where, ...bar(series) })];
}

/**
 * Where a logarithmic axis has its marks: at 1, 10, 100, and between them where there is room.
 * @param {number[]} values all that stand along it
 * @param {number} most how many marks there is room for
 */
export function decades(values, most) {
  const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  const ticks = [];
  // Over more powers Plot leaves the marks between them without a number.
  const parts = high - low < Math.min(most / 2, 3.5) ? [1, 3] : [1];
  for (let power = Math.floor(low); power <= high; power += 1) {
    // Written, not multiplied: 3 × 0.1 is not 0.3 in a computer's numbers.
    ticks.push(...parts.map((part) => Number(`${part}e${power}`)));
  }
  return ticks.filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high);
}

/**
 * As many of the names as fit side by side.
 * @param {(number | string)[]} names
 * @param {number} width in pixels
 * @param {number} size of the text, in pixels
 */
export function fitting(names, width, size) {
  const longest = Math.max(...names.map((name) => `${name}`.length));
  const step = Math.ceil((names.length * (longest + 1) * 0.6 * size) / width);
  return names.filter((_, place) => place % step === 0);
}

/** @param {number} tick */
export function plain(tick) {
  if (tick >= 1e6) return `${written(tick / 1e6)}M`;
  return tick >= 1000 ? `${written(tick / 1000)}k` : written(tick);
}

/**
 * @param {LabPicture} picture
 * @param {"x" | "y"} along
 * @param {number} room for so many marks
 */
function axis(picture, along, room) {
  if (!picture[along]) return { axis: null };
  // Sentences write shares in percent, too. Upwards a scale that ends at 1 is one of them.
  const shares = along === "x" ? picture.x_shares : picture.y_range?.[1] === 1;
  const format = shares ? (/** @type {number} */ one) => `${written(100 * one)} %` : written;
  if (!picture.logarithmic) return { ticks: room, tickFormat: format };
  const values =
    picture[`${along}_range`] ?? picture.series.flatMap((one) => one[along].map(Number));
  return { type: "log", ticks: decades(values, room), tickFormat: plain };
}

/**
 * The picture with a guess in it, and without what answers it as long as it is none yet.
 * @param {LabPicture} picture
 * @param {LabGuess} guess
 * @returns {LabPicture}
 */
export function withGuess(picture, { at, seen, guessed, range, moved, made }) {
  const { series, y_range: ends } = picture;
  /** @param {LabSeries} one */
  const isAnswer = ({ name }) => (!made || name === SET) && !seen.includes(name);
  /** @type {(one: LabSeries) => LabSeries} */
  const waiting = (one) => ({ ...one, mark: "rings", name: UNKNOWN, tone: 2 });
  /** @type {(one: LabSeries) => LabSeries} */
  const told = (one) => ({
    ...one,
    name: "the answer",
    rimmed: true,
    x: [one.x[0]],
    y: [one.y[0]],
  });
  const answers = series.filter(isAnswer);
  const people = at === null ? [...Array(Math.round(guessed)).keys()] : [];
  const x = at === null ? people.map((one) => one % 10) : [at];
  const y = at === null ? people.map((one) => 9 - Math.floor(one / 10)) : [guessed];
  /** @type {LabSeries} */
  const mark = { name: "your guess", mark: "guess", x, y, tone: 4 };
  // Nobody has guessed yet: where a slider stands at first is no guess.
  if (!moved && !made) Object.assign(mark, { name: "where your guess goes", hollow: true });
  if (!made && typeof at === "number") mark.between = range;
  /** @type {LabSeries} */
  const bars = { ...series[0], name: UNKNOWN, tone: 2, between: range };
  const all = [...range, ...series.flatMap((one) => one.y)];
  return {
    ...picture,
    series: [
      ...series.filter((one) => !isAnswer(one)),
      ...(!made && at === null ? answers.map(waiting) : []),
      ...(!made && typeof at === "string" ? [bars] : []),
      mark,
      // What is right lies on the guess where both are alike.
      ...(made ? answers.map(told) : []),
    ],
    y_range: ends ?? [Math.min(...all), Math.max(...all)],
    finding: made ? picture.finding : "It waits for your guess.",
  };
}

/**
 * @param {LabPicture} picture
 * @param {number} width in pixels
 * @param {number} size of the text, in pixels
 * @returns {SVGSVGElement}
 */
function chart(picture, width, size) {
  const { series, x, y, x_range: xRange, y_range: yRange, logarithmic } = picture;
  const bars = series.filter(({ mark }) => mark === "bars");
  const group = bars.length > 1 ? bars[0].name : undefined;
  const dots = series.reduce(
    (all, { mark, x: { length } }) => all + Number(mark === "dots" && length),
    0,
  );
  const many = series.filter(({ mark }) => mark === "line").length > 9;
  const crowded = dots > 60 ? Math.max(2.5, Math.min(5, width / 130)) : 6;
  const r = x ? crowded : width / 65;
  const categories = bars[0]?.x;
  const ticks = categories && fitting(categories, width - 5 * size, size);
  const room = Math.max(3, Math.round(width / (6 * size)));
  // Without a zero below it, what is lowest would lie on the axis.
  const floats = logarithmic || Boolean(yRange?.[0]);
  return Plot.plot({
    className: "plot",
    width,
    height: Math.round(Math.min(width * 0.62, 26 * size)),
    marginLeft: 3.6 * size,
    marginBottom: 2.4 * size,
    marginTop: 1.2 * size,
    marginRight: 1.4 * size,
    ariaLabel: `${picture.caption} ${picture.finding ?? ""}`.trim(),
    ariaDescription: `${x && `Across: ${x}. Upwards: ${y}. `}The table below has the numbers.`,
    x: categories
      ? group
        ? { axis: null, domain: bars.map(({ name }) => name) }
        : { type: "band", label: null, domain: categories, ticks }
      : // A dot at the end has room beside the numbers of the other axis.
        {
          ...axis(picture, "x", room),
          label: null,
          domain: xRange ?? undefined,
          inset: x ? size : 0,
        },
    ...(group
      ? { fx: { label: null, axis: "bottom", padding: 0.2, domain: categories, ticks } }
      : {}),
    y: {
      ...axis(picture, "y", 6),
      ...{ label: null, grid: y !== "", domain: yRange ?? undefined },
      insetBottom: y && floats ? size / 2 : 0,
    },
    marks: [
      ...series.map((one) => marks(one, group, r, many)),
      ...(floats ? [] : [Plot.ruleY([0], { stroke: "currentColor" })]),
    ],
  });
}

/** @param {LabSeries} series what a line of the legend shows */
function sample({ mark, tone, between, hollow }) {
  const common = { stroke: colour(tone), "stroke-width": 3, "stroke-dasharray": DASHES[tone] };
  const filled = {
    fill: colour(tone),
    "fill-opacity": mark === "steps" || tone % 2 ? 0.3 : 1,
    stroke: colour(tone),
  };
  const open = { fill: "none", stroke: colour(tone), "stroke-dasharray": OPEN };
  const outline = { fill: "none", stroke: colour(tone), "stroke-width": 1.5 };
  const shape = {
    line: () => draw("line", { x1: 1, y1: 8, x2: 35, y2: 8, ...common }),
    upright: () => draw("line", { x1: 18, y1: 0, x2: 18, y2: 16, ...common }),
    dots: () => draw("circle", { cx: 18, cy: 8, r: 6, fill: colour(tone) }),
    rings: () => draw("circle", { cx: 18, cy: 8, r: 6, fill: "none", stroke: colour(tone) }),
    guess: () => draw("path", { d: "M18 1L25 8L18 15L11 8Z", ...(hollow ? outline : filled) }),
    bars: () => draw("rect", { x: 10, y: 1, width: 14, height: 14, ...(between ? open : filled) }),
    steps: () => draw("rect", { x: 4, y: 2, width: 28, height: 13, ...filled }),
  }[mark]();
  return draw("svg", { width: 36, height: 16, "aria-hidden": "true" }, shape);
}

/**
 * Draw a picture, with its legend and what its axes show.
 * @param {LabPicture} drawn
 * @param {HTMLElement} place where it goes, as wide as it is there
 * @param {LabGuess} [guess] one that is drawn in it
 */
export function show(drawn, place, guess) {
  const picture = guess ? withGuess(drawn, guess) : drawn;
  const size = parseFloat(getComputedStyle(place).fontSize);
  const svg = chart(picture, Math.max(240, place.clientWidth), size);
  // The policy of the page blocks style elements; what they say stands in lab.css.
  for (const style of svg.querySelectorAll("style")) style.remove();
  // An image to a screen reader, with one name: that of its caption.
  svg.setAttribute("role", "img");
  for (const part of svg.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
  const names = picture.series.map(({ name }) => name);
  const named = picture.series.filter(({ name }, at) => name && names.indexOf(name) === at);
  const legend = named.map((one) => make("li", {}, sample(one), one.name));
  place.replaceChildren(
    ...(picture.y ? [make("div", { class: "hint" }, `↑ ${picture.y}`)] : []),
    svg,
    ...(picture.x ? [make("div", { class: "across hint" }, `${picture.x} →`)] : []),
    ...(legend.length > 0 ? [make("ul", { class: "legend" }, ...legend)] : []),
  );
}
