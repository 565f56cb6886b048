/** What the big screen shows, in small: the same for every phone, but for one's own guess. */

import { element, folded, hint, inParagraphs } from "./dom.js";
import { svg } from "./pictures.js";
import { say } from "./say.js";

/** How wide a bar can be, in its own units, and what is left free beside it for half a dot. */
const WIDE = 300;
const BESIDE = 7;

/** How far guesses stand below one another, and how far all of them reach. */
const PITCH = 9;
const DEEPEST = 90;

/**
 * @param {WallScene} scene
 * @param {number} [guess] one's own, in percent
 */
export function inSmall({ language, title, formula, said, picture, dots }, guess) {
  const bars = (picture?.rows ?? []).flatMap((row) => [
    element("p", { class: "bar-name" }, row.name, element("strong", {}, row.text)),
    picture ? lane(row, picture, guess) : "",
    ...piled(row.reports.map((names) => dot(Number(names)))),
  ]);
  const meant = [
    picture?.mark_text && `┆ ${picture.mark_text}`,
    picture?.outline && `┄ ${picture.outline}`,
  ];
  const keys = meant.filter(Boolean).map((key) => hint(`${key}`));
  const lines = inParagraphs(said);
  const heading = element("h2", { tabindex: "-1" }, title);
  const found = formula ? [element("p", {}, element("strong", {}, formula))] : [];
  const all = [heading, ...found, ...(dots ? pointed(dots) : []), ...bars, ...keys, ...lines];
  return element("div", { lang: language, dir: "auto" }, ...all);
}

/** A report: full if it names the answer in focus; of several answers each has a letter. */
/** @param {number} report @param {boolean} [several] */
const dot = (report, several) => (several ? String.fromCharCode(65 + report) : report ? "●" : "○");

/** @param {(Node | string)[]} dots */
const piled = (dots) =>
  dots.length > 0 ? [element("p", { class: "dots", "aria-hidden": "true" }, ...dots)] : [];

/** A dot for each report of the class, and what each kind of dot is. @param {WallDots} dots */
function pointed({ reports, chosen, legends }) {
  const several = legends.length > 2;
  const all = reports.map((report, place) => {
    const one = dot(report, several);
    return place === chosen ? element("strong", {}, one) : one;
  });
  const kinds = legends.map((legend, report) => `${dot(report, several)} ${legend}`);
  return [...piled(all), hint(kinds.join(" · "))];
}

/** What is said of the larger dot. @param {WallScene} scene @param {number} [guess] */
export function ofGuess({ picture }, guess) {
  const isThere = picture?.rows.some(({ guesses }) => guesses.some((one) => isOwn(one, guess)));
  return isThere ? [hint(say("The large dot is your guess."))] : [];
}

/** What a report tells, to think of first; open while the wall changes. */
/** @param {HTMLElement} root @param {HTMLElement} words */
export function inPrivate(root, words) {
  const asked = say("Could somebody know your answer now? Think, then tap.");
  const part = folded("told", asked, [words]);
  part.open = root.querySelector("details.told[open]") !== null;
  return part;
}

/** @param {number} share @param {number} [guess] */
const isOwn = (share, guess) => Math.round(100 * share) === guess;

/**
 * A bar from 0 to its value, with what lies on it, and the guesses below it.
 * @param {StageRow} row
 * @param {StageRows} axis
 * @param {number} [guess]
 */
function lane({ tone, value, before, low, high, guesses }, axis, guess) {
  const at = (/** @type {number} */ share) => (WIDE * (share - axis.low)) / (axis.high - axis.low);
  /** @type {(kind: string, from: number | null, to: number | null, y: number, height: number) => Node[]} */
  const part = (kind, from, to, y, height) => {
    if (from === null || to === null) return [];
    const [start, end] = [from, to].map(at).sort((one, other) => one - other);
    const width = Math.max(end - start, 1);
    const box = { x: `${start}`, y: `${y}`, width: `${width}`, height: `${height}` };
    return [svg("rect", { class: kind, ...box })];
  };
  // They are in order of size: each stands below those that are the same.
  const place = guesses.map((share, index) => index - guesses.indexOf(share));
  const deep = Math.max(0, ...place);
  const pitch = Math.min(PITCH, DEEPEST / Math.max(1, deep));
  const dots = guesses.map((share, index) => {
    const own = isOwn(share, guess) && place[index] === 0;
    const where = { cx: `${at(share)}`, cy: `${28 + pitch * place[index]}`, r: own ? "7" : "4.5" };
    return svg("circle", { class: own ? "guess found" : "guess", ...where });
  });
  const height = 22 + (guesses.length > 0 ? 14 + pitch * deep : 0);
  return svg(
    "svg",
    {
      class: "wall",
      viewBox: `${-BESIDE} 0 ${WIDE + 2 * BESIDE} ${height}`,
      "aria-hidden": "true",
    },
    ...part(tone, 0, value, 3, 14),
    ...part("reach", 0, 0, 0, 20),
    ...part("line", 0, before, 2, 16),
    ...part("reach", low, high, 9, 2),
    ...(axis.mark === null ? [] : [svg("path", { class: "line", d: `M${at(axis.mark)} 0v20` })]),
    ...dots,
  );
}
