/** What the big screen shows, in small: the same for every phone, but for one's own guess. */

import { element, folded, hint, inParagraphs } from "./dom.js";
import { svg } from "./pictures.js";
import { drawnBy, say } from "./say.js";

/** How wide a bar can be, in its own units, and what is left free beside it for half a dot. */
const WIDE = 300;
const BESIDE = 7;

/** How far guesses stand below one another, and how far all of them reach. */
const PITCH = 10;
const DEEPEST = 90;

/** How large a guess is, and one's own. */
const RADIUS = 4.5;
const OWN_RADIUS = 6.5;

/** Of how many people each can still be seen, as on the wall. */
const MOST_PEOPLE = 60;

/** What is told of a class: a screen reader hears what changes in it. */
const ALOUD = { class: "panel", role: "status" };

/**
 * The step of a class, as the wall shows it; nothing where it shows none.
 * @param {HTMLElement} root
 */
function onTheWall({ dataset: { scene = "null", step, guess } }) {
  /** @type {WallScene | null} */
  const shown = step === "over" ? null : JSON.parse(scene);
  return shown ? [inSmall(shown, Number(guess)), ...ofGuess(shown, Number(guess))] : [];
}

/**
 * The step of the class, and below it what a phone sent. A report takes the place of the news that
 * it has arrived.
 * @param {HTMLElement} root
 * @param {HTMLElement[]} own
 * @param {boolean} direct whether an answer was sent as it was given
 */
export function withStep(root, own, direct) {
  const wall = onTheWall(root);
  root.querySelector("[data-outcome]")?.toggleAttribute("hidden", !direct && wall.length > 0);
  return wall.length > 0 ? [element("div", ALOUD, ...wall), ...own] : own;
}

/**
 * Say that a phone waits: in one panel, so that a screen reader hears what changes in it.
 * @param {HTMLElement} root
 * @param {() => HTMLElement[]} below
 * @param {string} [step]
 */
export function drawWaiting(root, below, step) {
  const heading = element("h2", { tabindex: "-1" });
  const text = element("p", {});
  const panel = element("div", ALOUD, heading, text);
  const draw = () => {
    [heading.textContent, text.textContent] = waits(root, step);
    const wall = onTheWall(root);
    panel.replaceChildren(...(wall.length > 0 ? wall : [heading, text]));
    root.replaceChildren(panel, ...below());
  };
  drawnBy(draw);
  draw();
}

/** @param {HTMLElement} root @param {string | undefined} [step] */
function waits(root, step = root.dataset.step) {
  if (hasEnded(root)) return itIsOver();
  const joins = step === undefined || step === "waiting";
  return [joins ? say("You have joined") : say("Look at the big screen"), leaveOpen()];
}

/** @param {HTMLElement} root */
export const hasEnded = (root) => root.dataset.step === "over";

export const leaveOpen = () => say("Leave this page open. It moves on by itself.");

export const itIsOver = () => [say("This meeting is over"), say("You can close this page now.")];

/**
 * @param {WallScene} scene
 * @param {number} guess one's own, in percent; NaN if there is none
 */
function inSmall({ language, title, formula, said, picture, dots }, guess) {
  const axis = barsOf(picture);
  const bars = (axis?.rows ?? []).flatMap((row) => [
    element("p", { class: "bar-name" }, row.name, element("strong", {}, row.text)),
    axis ? lane(row, axis, guess) : "",
    ...piled(
      row.reports.map((names, at) => {
        const one = dot(Number(names));
        return at && row.copies ? element("span", { class: "hint" }, one) : one;
      }),
    ),
  ]);
  const meant = [axis?.mark_text && `┆ ${axis.mark_text}`, axis?.outline && `┄ ${axis.outline}`];
  const keys = meant.filter(Boolean).map((key) => hint(`${key}`));
  const lines = inParagraphs(said);
  const heading = element("h2", { tabindex: "-1" }, title);
  const found = formula ? [element("p", {}, element("strong", {}, formula))] : [];
  const each = dots ? pointed(dots) : [];
  if (picture?.kind === "coins") each.push(...picture.ways.map(thrownSo));
  if (picture?.kind === "crowd") each.push(...crowd(picture));
  const all = [heading, ...found, ...each, ...bars, ...keys, ...lines];
  return element("div", { lang: language, dir: "auto" }, ...all);
}

/** @param {WallScene["picture"]} picture */
function barsOf(picture) {
  if (picture?.kind === "coins") return picture.bars;
  return picture?.kind === "rows" ? picture : undefined;
}

/** One way in which the coins fall, how often, and what is sent then. @param {StageWay} way */
const thrownSo = ({ coins, sends }) =>
  element(
    "p",
    { class: "bar-name coins" },
    ...coins.map(ofSide),
    element("strong", {}, `1/${2 ** coins.length}`),
    element("span", {}, sends),
  );

/** A coin with the word of its side. @param {string} side */
function ofSide(side) {
  const size = { viewBox: "-18 -18 36 36", width: "3rem", height: "3rem" };
  const word = svg("text", { y: "3", "text-anchor": "middle" }, side);
  const name = { role: "img", "aria-label": side };
  return svg("svg", { class: "coin", ...size, ...name }, svg("circle", { r: "18" }), word);
}

/** A sign for each phone, ticked once its report has come. @param {StageCrowd} crowd */
function crowd({ came, joined }) {
  const signs = Array.from({ length: Math.max(came, joined) }, (_, at) => (at < came ? "✓" : "·"));
  return [element("p", { class: "hint", "aria-hidden": "true" }, signs.join(" "))];
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
  const kinds = legends.flatMap((legend, report) => [
    element("span", { class: "dots" }, dot(report, several)),
    ` ${legend} `,
  ]);
  return [...piled(all), element("p", { class: "hint" }, ...kinds)];
}

/** What is said of the larger dot. @param {WallScene} scene @param {number} guess */
function ofGuess({ picture }, guess) {
  const isThere = barsOf(picture)?.rows.some(({ guesses }) =>
    guesses.some((one) => isOwn(one, guess)),
  );
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

/** @param {number} share @param {number} guess */
const isOwn = (share, guess) => Math.round(100 * share) === guess;

/**
 * A bar from 0 to its value, with what lies on it, and the guesses below it.
 * @param {StageRow} row
 * @param {StageRows} axis
 * @param {number} guess
 */
function lane({ tone, value, before, low, high, guesses, crossed }, axis, guess) {
  const at = (/** @type {number} */ share) => (WIDE * (share - axis.low)) / (axis.high - axis.low);
  /** @type {(kind: string, from: number | null, to: number | null, y: number, height: number, people?: Node[]) => Node[]} */
  const part = (kind, from, to, y, height, people = []) => {
    if (from === null || to === null) return [];
    const [start, end] = [from, to].map(at).sort((one, other) => one - other);
    // Of what is nearly nothing a stub is seen.
    const width = Math.max(end - start, to > from ? 5 : 1);
    const box = { x: `${start}`, y: `${y}`, width: `${width}`, height: `${height}` };
    // An image within the image is cut at its end, and so is the last dot.
    return [svg(people.length > 0 ? "svg" : "rect", { class: kind, ...box }, ...people)];
  };
  /** How far the dots of each line reach. @type {number[]} */
  const ends = [];
  // They are in order of size: each stands below those that it would cover.
  const lines = guesses.map((share, index) => {
    const own = isOwn(share, guess) && guesses.indexOf(share) === index;
    const radius = own ? OWN_RADIUS : RADIUS;
    const free = ends.findIndex((end) => end <= at(share) - radius);
    const line = free < 0 ? ends.length : free;
    ends[line] = at(share) + radius;
    return { kind: own ? "guess found" : "guess", share, radius, line };
  });
  const deep = Math.max(0, ends.length - 1);
  const pitch = Math.min(PITCH, DEEPEST / Math.max(1, deep));
  const dots = lines.map(({ kind, share, radius, line }) => {
    const where = { cx: `${at(share)}`, cy: `${29 + pitch * line}`, r: `${radius}` };
    return svg("circle", { class: kind, ...where });
  });
  /** What was before: an outline beyond the bar, or a line across it. */
  const earlier = before === null ? [] : outlined(at(Math.max(0, value)), at(before));
  const height = 22 + (guesses.length > 0 ? 14 + pitch * deep : 0);
  return svg(
    "svg",
    {
      class: "wall",
      viewBox: `${-BESIDE} 0 ${WIDE + 2 * BESIDE} ${height}`,
      "aria-hidden": "true",
    },
    ...part(tone, 0, value, 3, 14, counted(value, axis)),
    ...part("reach", 0, 0, 0, 20),
    ...earlier,
    ...part("reach", low, high, 9, 2),
    ...(crossed && axis.mark !== null
      ? [svg("path", { class: "line", d: `M${at(axis.mark)} 0v20` })]
      : []),
    ...dots,
  );
}

/**
 * A dot for each person of a bar, from its end at 0 on; none where they are too many.
 * @param {number} value
 * @param {StageRows} axis
 */
function counted(value, { low, high, people }) {
  const count = people > MOST_PEOPLE ? 0 : Math.ceil(Math.abs(value) * people);
  const each = WIDE / (people * (high - low));
  const end = value < 0 ? each * Math.abs(value) * people : 0;
  return Array.from({ length: count }, (_, place) => {
    const middle = Math.abs(end - each * (place + 0.5));
    const radius = Math.min(7, 0.43 * each);
    return svg("circle", { cx: `${middle}`, cy: "7", r: `${radius}` });
  });
}

/** @param {number} from the end of the bar @param {number} to */
function outlined(from, to) {
  const d = from < to ? `M${from} 2H${to}v16H${from}` : `M${to} 0v20`;
  return [
    svg("path", { class: "gap", d, fill: "none", "stroke-width": "3" }),
    svg("path", { class: "line", d }),
  ];
}
