import { say } from "./say.js";

/**
 * The drawings of the privacy panel, in SVG: no image, font or style comes from elsewhere.
 *
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
export function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * A hundred people in ten rows, the first of them filled.
 *
 * @param {number} filled how many
 * @param {string} words what is seen, for those who do not see it
 */
export function hundredPeople(filled, words) {
  return svg(
    "svg",
    { class: "people", viewBox: "0 0 100 120", role: "img", "aria-label": words },
    svg("path", { class: "filled", d: people(0, filled) }),
    svg("path", { d: people(filled, 100) }),
  );
}

/**
 * The outlines of some of the hundred: a head and shoulders each.
 *
 * @param {number} from
 * @param {number} to
 */
export function people(from, to) {
  let path = "";
  for (let place = from; place < to; place += 1) {
    const [x, y] = [10 * (place % 10) + 5, 12 * Math.floor(place / 10)];
    path += `M${x - 2} ${y + 3}a2 2 0 1 1 4 0a2 2 0 1 1-4 0M${x - 3} ${y + 10}v-1a3 3 0 0 1 6 0v1z`;
  }
  return path;
}

/** What leaves the device, and what the server has. */
export function wayOfAnAnswer() {
  const words = say(
    "Your answer stays on your device. There, chance turns it into a report. Only the report is sent to the server. The server keeps no name, address or time with it.",
  );
  const box = (/** @type {number} */ y, /** @type {number} */ height, /** @type {string} */ kind) =>
    svg("rect", { class: kind, x: "2", y: `${y}`, width: "296", height: `${height}`, rx: "8" });
  const pill = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text) =>
    svg(
      "g",
      {},
      svg("rect", { class: "pill", x: `${x}`, y: `${y}`, width: "80", height: "28", rx: "14" }),
      label(x + 40, y + 19, text),
    );
  const label = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text) =>
    svg("text", { x: `${x}`, y: `${y}`, "text-anchor": "middle" }, text);
  return svg(
    "svg",
    { class: "way", viewBox: "0 0 300 222", role: "img", "aria-label": words },
    box(2, 98, "place"),
    label(150, 22, say("Your device")),
    pill(12, 40, say("answer")),
    pill(110, 40, say("chance")),
    pill(208, 40, say("report")),
    label(52, 88, say("stays here")),
    svg("path", { class: "arrow", d: "M92 54h14m-5-5l5 5l-5 5M190 54h14m-5-5l5 5l-5 5" }),
    svg("path", { class: "arrow", d: "M248 68v80m-6-7l6 7l6-7" }),
    label(140, 124, say("only the report is sent")),
    box(132, 88, "place"),
    label(100, 156, say("The server")),
    pill(208, 152, say("report")),
    label(150, 204, say("keeps no name, address or time")),
  );
}
