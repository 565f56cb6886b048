/** What is believed of the volunteer, each time their phone is asked. */

import { draw, make } from "../../lab/static/elements.js";

const [WIDTH, HEIGHT] = [1300, 300];
const [LEFT, TOP, RIGHT, BOTTOM] = [130, 20, 40, 60];

/** @param {number} at @param {number} last */
const x = (at, last) => LEFT + (at / last) * (WIDTH - LEFT - RIGHT);

/** @param {number} share */
const y = (share) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);

/** @param {number} last */
function axes(last) {
  const upwards = [0, 0.5, 1].flatMap((share) => [
    draw("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share), class: "level" }),
    draw("text", { x: LEFT - 12, y: y(share) + 10, "text-anchor": "end" }, `${100 * share} %`),
  ]);
  const places = [0, 1, 2, 3, 4, 5].map((part) => Math.round((part * last) / 5));
  const onwards = places.map((at) =>
    draw("text", { x: x(at, last), y: HEIGHT - 18, "text-anchor": "middle" }, `${at}`),
  );
  return [...upwards, ...onwards];
}

/**
 * @param {StageLines} picture
 * @param {Element} within
 */
export function showLines(picture, within) {
  const last = picture.sent.length;
  const lines = picture.lines.map(({ tone, y: shares }) =>
    draw("polyline", {
      class: `belief ${tone}`,
      points: shares.map((share, at) => `${x(at, last)},${y(share)}`).join(" "),
    }),
  );
  const box = `0 0 ${WIDTH} ${HEIGHT}`;
  const legend = picture.lines.map(({ name, tone }) =>
    make(
      "li",
      {},
      draw(
        "svg",
        { viewBox: "0 0 60 12", class: "sample", "aria-hidden": "true" },
        draw("line", { x1: 2, x2: 58, y1: 6, y2: 6, class: `belief ${tone}` }),
      ),
      ` ${name}`,
    ),
  );
  within.replaceChildren(
    make("p", { class: "axis-name" }, `↑ ${picture.y}`),
    draw("svg", { viewBox: box, class: "lines", "aria-hidden": "true" }, ...axes(last), ...lines),
    make("p", { class: "axis-name end" }, `${picture.x} →`),
    make("ul", { class: "legend" }, ...legend),
  );
}
