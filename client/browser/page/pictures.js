/**
 * The drawings of the privacy panel, in SVG: no image, font or style comes from elsewhere.
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

/** What somebody says, a die, and what is sent: each in a square of 48. */
const BUBBLE =
  "M4 12a6 6 0 0 1 6-6h28a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6H24l-10 9v-9h-4a6 6 0 0 1-6-6z";
const DIE =
  "M14 8h20a6 6 0 0 1 6 6v20a6 6 0 0 1-6 6H14a6 6 0 0 1-6-6V14a6 6 0 0 1 6-6zM17 17v.1M31 17v.1M24 24v.1M17 31v.1M31 31v.1";
const SENT = "M4 10h40v28H4zl20 16 20-16";

/**
 * A phone with an answer and a die in it, and an envelope that leaves it; its steps stand below it.
 * @param {boolean} chanceFirst whether the die decides what is asked
 */
export function pathOfAnAnswer(chanceFirst) {
  const at = (/** @type {number} */ x, /** @type {string} */ d) =>
    svg("path", { d, transform: `translate(${x} 7)` });
  const [first, second] = chanceFirst ? [DIE, BUBBLE] : [BUBBLE, DIE];
  return svg(
    "svg",
    { viewBox: "0 0 328 63", "aria-hidden": "true" },
    svg("rect", { x: "2", y: "2", width: "216", height: "59", rx: "12" }),
    at(31, first),
    at(140, second),
    at(249, SENT),
    svg("path", { d: "M14 25v12M94 31h30m-7-7l7 7l-7 7M196 31h42m-7-7l7 7l-7 7" }),
  );
}

/**
 * A hundred people in ten rows, the first of them filled.
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
