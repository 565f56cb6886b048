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

/** @type {Record<string, string>} */
const ICONS = {
  phone: "M15 4h18v40H15zM22 38h4M19 21l4 4 6-8",
  coin: "M41 24a17 17 0 1 1-34 0 17 17 0 0 1 34 0zM19 20c0-8 11-7 10 0-1 4-5 3-5 8M24 33v.1",
  envelope: "M5 11h38v26H5zl19 15 19-15",
};

/** A small picture beside its words. @param {string} kind */
export const icon = (kind) =>
  svg(
    "svg",
    { class: "icon", viewBox: "0 0 48 48", "aria-hidden": "true" },
    svg("path", { d: ICONS[kind] }),
  );

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
