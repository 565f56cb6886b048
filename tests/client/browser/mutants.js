/** Documents as a server could make them worse; `laws.js` says what they then really reveal. */

const ALL_WORDS = 2 ** 32;

/** Numbers from 0 to below 1, the same each time (Park and Miller 1988). @param {number} seed */
export function chanceFrom(seed) {
  let state = (seed % 2147483646) + 1;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/**
 * Every list, table and value of a document.
 * @param {any} part
 * @param {string} name of the nearest key, which is not the place in a list
 * @returns {{part: any, key: string, name: string}[]}
 */
export function partsOf(part, name = "") {
  if (part === null || typeof part !== "object") return [];
  return Object.keys(part).flatMap((key) => {
    const own = Array.isArray(part) ? name : key;
    return [{ part, key, name: own }, ...partsOf(part[key], own)];
  });
}

/** @type {(part: any) => boolean} */
const isList = Array.isArray;

/** Values that no document has, or has elsewhere. */
const ODD = [0, 1, -1, 2, 0.5, 2 ** 31, ALL_WORDS, null, true, false, "", " 1 ", "x", {}, []];

/** What decides how private an answer is, and is no cell of a table. */
const TELLING = new Set(
  (
    "epsilon once changing redraw count ask chances ask_if item answers protection type question " +
    "questions items truths reports weights permanent waves order prefer_not_to_say statements " +
    "together other same_fact"
  ).split(" "),
);

/** Characters that nobody sees, or that turn what is read. */
const UNSEEN = ["\u0007", "\u202e", "\u200b", "\ud800", "\u2028", "\n", "\u0085"];

/**
 * One change of one place.
 * @typedef {(at: {part: any, key: string}, other: any, dice: Dice) => void} Change
 * @typedef {{below: (count: number) => number, oneOf: <T>(values: T[]) => T}} Dice
 */

/** @type {Change[]} */
const CHANGES = [
  ({ part, key }) => (isList(part) ? part.splice(Number(key), 1) : delete part[key]),
  ({ part, key }) => isList(part) && part.push(structuredClone(part[key])),
  // From anywhere else in this document or in another one, often from where it means the same.
  ({ part, key }, other) => (part[key] = structuredClone(other)),
  ({ part, key }, other) => (part[key] = structuredClone(other)),
  ({ part, key }) => isList(part) && ([part[0], part[key]] = [part[key], part[0]]),
  ({ part, key }, _other, { oneOf }) => (part[key] = oneOf(ODD)),
  ({ part, key }, _other, { oneOf }) =>
    typeof part[key] === "number" && (part[key] += oneOf([-1e-6, 1e-6, -1, 1, 9])),
  ({ part, key }, _other, { oneOf }) =>
    typeof part[key] === "number" && (part[key] *= oneOf([0, 0.5, 2, 1000])),
  ({ part, key }, _other, { oneOf }) =>
    typeof part[key] === "string" && (part[key] += oneOf(["!", ...UNSEEN])),
  ({ part, key }, _other, { oneOf }) =>
    (part[key] = oneOf([String, (/** @type {any} */ one) => [one]])(part[key])),
  // From one report to another, so that the row still sums to 2^32.
  ({ part, key }, _other, { below, oneOf }) => {
    if (!isList(part) || typeof part[key] !== "number") return;
    const moved = oneOf([1, 2, 1000, part[key], 2 * part[key]]);
    part[key] -= moved;
    part[below(part.length)] += moved;
  },
  // A table with one answer more, or less.
  ({ part, key }, _other, { oneOf }) => {
    if (!isList(part) || !isList(part[key])) return;
    part.forEach(
      (/** @type {any} */ row) => isList(row) && oneOf([() => row.push(0), () => row.pop()])(),
    );
  },
];

/**
 * A document that a server made worse in one way, or in up to four.
 * @param {object[]} documents honest ones
 * @param {() => number} chance
 * @param {Map<string, number>} mutated counts how often each key was
 * @returns {any}
 */
export function mutantOf(documents, chance, mutated) {
  const below = (/** @type {number} */ count) => Math.floor(chance() * count);
  const dice = { below, oneOf: (/** @type {any[]} */ values) => values[below(values.length)] };
  const document = structuredClone(dice.oneOf(documents));
  for (let left = 1 + below(below(4) + 1); left > 0; left -= 1) {
    const all = partsOf(document);
    if (all.length === 0) break;
    // Cells of tables are many, and promises few: anything, or each key as often as the other, or
    // what matters most.
    const name = dice.oneOf([...new Set(all.map((one) => one.name))]);
    const telling = all.filter((one) => TELLING.has(one.name));
    const kind = dice.oneOf([all, all.filter((one) => one.name === name), telling]);
    const at = dice.oneOf(kind.length > 0 ? kind : all);
    const strange = chance() < 0.3 ? partsOf(dice.oneOf(documents)) : all;
    const alike = strange.filter((one) => one.name === at.name);
    const from = dice.oneOf(chance() < 0.7 && alike.length > 0 ? alike : strange);
    // A key that this one has not: what the other has at such a place.
    const place = chance() < 0.15 && !isList(at.part) ? { ...at, key: from.key } : at;
    dice.oneOf(CHANGES)(place, from.part[from.key], dice);
    mutated.set(at.name, (mutated.get(at.name) ?? 0) + 1);
    if (place !== at) mutated.set(from.name, (mutated.get(from.name) ?? 0) + 1);
  }
  return document;
}

/**
 * Lines that a server made worse: of words above all, and in a sixth of all of the structure.
 * @param {string[]} honest structures with their wordings
 * @param {() => number} chance
 * @param {Map<string, number>} mutated
 */
export function linesOf(honest, chance, mutated) {
  const below = (/** @type {number} */ count) => Math.floor(chance() * count);
  const oneOf = (/** @type {any[]} */ values) => values[below(values.length)];
  const [structure, ...words] = oneOf(honest).split("\n");
  /** @type {any[]} */
  const lines = words.map((/** @type {string} */ line) => JSON.parse(line));
  // Corrections: of a text, to what it never was, or to what stands elsewhere.
  for (let left = below(9); left > 0; left -= 1) {
    const { languages, ...texts } = lines[0];
    const language = oneOf(languages);
    const [place, other] = [0, 1].map(() => oneOf(Object.keys(texts[language])));
    lines.push({
      [language]: { [place]: oneOf([`New ${left}`, texts[language][other], "@title"]) },
    });
  }
  const whole = { lines };
  const kind = below(6);
  if (kind === 0)
    return [JSON.stringify(mutantOf([JSON.parse(structure)], chance, mutated)), ...words];
  // Its own words under another structure.
  if (kind === 1) return [oneOf(honest).split("\n")[0], ...words];
  if (kind === 2) lines.push({ languages: [...lines[0].languages].reverse() });
  const made = kind < 4 ? whole : mutantOf([whole], chance, mutated);
  const found = isList(made.lines) ? made.lines : [made.lines];
  return [structure, ...found.map(inOrder)];
}

/** As Python writes it: keys in order. @param {any} value */
const inOrder = (value) =>
  JSON.stringify(value, (_key, one) =>
    one === null || typeof one !== "object" || isList(one)
      ? one
      : Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
