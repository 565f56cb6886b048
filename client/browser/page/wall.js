/** What the big screen shows, in small: the same for every phone. */

import { element } from "./dom.js";
import { svg } from "./pictures.js";

/** How wide a bar can be, in its own units. */
const WIDE = 300;

/** @param {WallScene} scene */
export function inSmall({ language, title, said, picture }) {
  const bars = (picture?.rows ?? []).flatMap((row) => [
    element("p", { class: "bar-name" }, row.name, element("strong", {}, row.text)),
    picture ? lane(row, picture) : "",
  ]);
  const lines = said.map((line) => element("p", {}, line));
  const heading = element("h2", { tabindex: "-1" }, title);
  return element("div", { lang: language, dir: "auto" }, heading, ...bars, ...lines);
}

/**
 * A bar from 0 to its value, with what lies on it.
 * @param {WallRow} row
 * @param {NonNullable<WallScene["picture"]>} axis
 */
function lane({ tone, value, before, low, high, guesses }, axis) {
  const at = (/** @type {number} */ share) => (WIDE * (share - axis.low)) / (axis.high - axis.low);
  /** @type {(kind: string, from: number | null, to: number | null, y: number, height: number) => Node[]} */
  const part = (kind, from, to, y, height) => {
    if (from === null || to === null) return [];
    const [start, end] = [from, to].map(at).sort((one, other) => one - other);
    const width = Math.max(end - start, 1);
    const box = { x: `${start}`, y: `${y}`, width: `${width}`, height: `${height}` };
    return [svg("rect", { class: kind, ...box })];
  };
  const dots = guesses.map((share) =>
    svg("circle", { class: "guess", cx: `${at(share)}`, cy: "22", r: "2.5" }),
  );
  return svg(
    "svg",
    { class: "wall", viewBox: `0 0 ${WIDE} 26`, "aria-hidden": "true" },
    ...part(tone, 0, value, 3, 14),
    ...part("line", 0, 0, 0, 20),
    ...part("line", 0, before, 2, 16),
    ...part("reach", low, high, 9, 2),
    ...part("reach", axis.mark, axis.mark, 0, 20),
    ...dots,
  );
}
