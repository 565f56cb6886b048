/**
 * A survey's structure and its wordings: a line of JSON for all but the words, one for the words, and
 * one for each correction of them. Reports name the structure alone, by its hash, the revision. The
 * number that people compare is a hash over all lines.
 *
 * The adversary is a server whose corrections change what was answered: no text may be one that stands
 * or stood for another question or answer. Other words for the opposite only readers can find.
 */

import { seen } from "./memory.js";
import { FIXED, hasWordsOf } from "./questions.js";
import { Refusal } from "./refusal.js";
import { sha256 } from "./sha256.js";
import { parseLine } from "./shape.js";

/** So many wordings can be read. */
const MOST_WORDINGS = 8;

/** Keys under which a structure can have a place for a text; and what only translations say. */
const TEXT_KEYS = ["title", "introduction", "text", "hint", "purpose", "help", "logo"];
const AGREED = /^about\/(organisation|contact|complaints|consent|approval|results)$/;

const ENDS = /^[\p{P}\p{Sk}]+|[\p{P}\p{Sk}]+$/gu;

/**
 * @param {Uint8Array} bytes
 * @returns {SurveyDocument} not checked yet, in its last wording
 * @throws {Refusal} if a wording breaks a rule
 */
export function readDocument(bytes) {
  const written = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const [structure, ...lines] = written.split("\n");
  const revision = sha256(structure);
  const checkNumbers = [revision];
  // Of one line: a structure that holds its texts. What a server calls a number counts for nothing.
  if (lines.length === 0) return { ...parseLine(structure), revision, checkNumbers, earlier: [] };
  if (lines.length > MOST_WORDINGS) throw noCorrection();
  /** @type {Wording[]} */
  const known = [];
  const readings = lines.map((line) => {
    const patch = parseLine(line, true);
    known.push(withCorrection(known.at(-1), patch));
    checkNumbers.push(sha256(`${checkNumbers.at(-1)}\n${line}`));
    return wordedBy(structure, known, patch);
  });
  const [now] = readings.slice(-1);
  return { ...now, revision, checkNumbers: checkNumbers.slice(1), earlier: readings.slice(0, -1) };
}

const noCorrection = () => new Refusal("a corrected word could change what an answer means");

/** @param {Wording | undefined} before @param {Wording} patch @returns {Wording} */
function withCorrection(before, patch) {
  const words = { ...before, ...patch };
  for (const one of Object.keys(words)) {
    if (one !== "languages") words[one] = { ...before?.[one], ...patch[one] };
  }
  return words;
}

/**
 * The document in the last of these wordings.
 * @param {string} structure @param {Wording[]} known @param {Wording} patch what it corrects
 */
function wordedBy(structure, known, patch) {
  const [words] = known.slice(-1);
  const [first, ...others] = words.languages;
  /** @type {SurveyDocument} */
  const survey = parseLine(structure);
  const arePointed = survey.items.every((item) =>
    survey.questions.some((one) => one.id === item.question && hasWordsOf(one, item)),
  );
  if ("languages" in survey || "translations" in survey || !arePointed) throw noCorrection();
  const places = fillIn(survey, words[first]);
  for (const [language, texts] of Object.entries(patch)) {
    if (language === "languages") continue;
    const isRead = known.slice(0, -1).some((before) => before.languages.includes(language));
    for (const place of Object.keys(texts)) {
      const fits = places.includes(place) || (language !== first && !isRead && AGREED.test(place));
      if (!fits || meansAnother(known, place, textOf(texts, place))) throw noCorrection();
    }
  }
  if (first !== known[0].languages[0]) throw noCorrection();
  if (words.languages.join() !== "en") survey.languages = words.languages;
  const translations = Object.fromEntries(others.map((one) => [one, byStep(words[one])]));
  return others.length > 0 ? { ...survey, translations } : survey;
}

/** @param {Record<string, string>} texts @param {string} place */
function textOf(texts, place) {
  if (Object.hasOwn(texts, place) && typeof texts[place] === "string") return texts[place];
  throw noCorrection();
}

/**
 * Put texts into a structure, each at its own place: one that pointed elsewhere could change its
 * meaning.
 * @param {any} structure @param {Record<string, string>} texts @param {string[]} [steps]
 * @returns {string[]} all places
 */
function fillIn(structure, texts, steps = []) {
  return Object.entries(structure).flatMap(([key, one]) => {
    const way = [...steps, one?.id ?? one?.code ?? key];
    if (one && typeof one === "object") return fillIn(one, texts, way);
    // Items point where their questions do, and a number is its own text.
    const isOwn = one?.[0] !== "@" && (way[0] === "items" || one === structure.code);
    if (!TEXT_KEYS.includes(key) || isOwn) return [];
    const place = way[0] === "items" ? one.slice(1) : way.slice(0, 4).join("/");
    if (one !== `@${place}` || String(way).includes("/")) throw noCorrection();
    structure[key] = textOf(texts, place);
    return [place];
  });
}

/**
 * Whether a corrected text is none, or has, or had, another meaning, in any language.
 * @param {Wording[]} known the last of them is new @param {string} place @param {string} text
 */
function meansAnother(known, place, text) {
  const [kind, own, isHint] = meaningOf(place);
  const isSame = (/** @type {unknown} */ other) => readAs(String(other)) === readAs(text);
  if (known.length < 2 || !kind) return false;
  if (isSame("")) return !isHint;
  const isFixed = Object.entries(FIXED).some(([code, of]) => code !== own && of.some(isSame));
  if (isFixed) return true;
  return known.some((words) =>
    words.languages.some((language) =>
      Object.entries(words[language]).some(([other, theirs]) => {
        const [of, whose, isToo] = meaningOf(other);
        return of === kind && whose !== own && !(isHint && isToo) && isSame(theirs);
      }),
    ),
  );
}

/** A text without what makes it no other one: case, and the signs around it. @param {string} text */
const readAs = (text) => seen(text).toLowerCase().replace(ENDS, "") || seen(text);

/** Among what a text must be told apart, whose it is, and if it is a hint. @param {string} place */
function meaningOf(place) {
  const [, id, list, code] = place.split("/");
  return code === undefined ? [list && "all", id, list === "hint"] : [id + list, code, false];
}

/** As a translation is written: by the steps of each place. @param {Record<string, string>} texts */
function byStep(texts) {
  const found = Object.create(null);
  found.questions = Object.create(null);
  for (const place of Object.keys(texts)) {
    const way = place.split("/");
    const last = way.pop() ?? "";
    const holder = way.reduce((at, step) => (at[step] ??= Object.create(null)), found);
    holder[last] = textOf(texts, place);
  }
  return found;
}
