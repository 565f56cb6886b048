/**
 * The page's own words, in the language that is read.
 *
 * The program is written in English sentences, each of which is the key to its translations; an
 * English survey loads no other words. Which language is spoken no server needs to know.
 */

import { filled } from "../core/refusal.js";

/** @type {(sentence: string) => string | undefined} */
let translationOf = () => undefined;

let spoken = "en";
let ending = "";

/** @type {(survey: SurveyDocument) => SurveyDocument} */
let translate = (survey) => survey;

/** @type {Redraw} */
let draw = () => {};

/**
 * Speak another language from here on.
 * @param {typeof translationOf} find what an English sentence is in it
 * @param {string} language such as "de"
 * @param {typeof translate} [translation]
 * @param {string} [address]
 */
export function speak(find, language, translation = translate, address = "") {
  translationOf = find;
  spoken = language;
  translate = translation;
  ending = address;
}

/** The language that is spoken. */
export const locale = () => spoken;

/** What an address ends with to be shown in the same language, where there are several. */
export const fragment = () => ending;

/** A survey as it reads in that language. @param {SurveyDocument} survey */
export const translated = (survey) => translate(survey);

/** From here on this draws what is on the page, in whatever language. @param {Redraw} drawing */
export function drawnBy(drawing) {
  draw = drawing;
}

/** Draw what is on the page anew, with whatever was answered. @type {Redraw} */
export const redraw = (copyAnswers) => draw(copyAnswers);

/**
 * A sentence in the language that is spoken; in English where it is not translated. Where it runs
 * from right to left, values are set apart, so that they do not turn what is around them.
 * @param {string} sentence with the names of values in braces
 * @param {Record<string, string | number>} [values] by name
 */
export function say(sentence, values = {}) {
  const written = globalThis.document?.dir === "rtl" ? setApart : undefined;
  return filled(translationOf(sentence) ?? sentence, values, written);
}

/** What this page said itself runs as it does; all else as its own first letter. @param {string | number} value */
const setApart = (value) => `${/\u2069/.test(`${value}`) ? "\u2067" : "\u2068"}${value}\u2069`;

/**
 * A number as the language writes it, always in the digits 0 to 9, which survey texts use too.
 * @param {number} value
 */
export function inDigits(value) {
  return value.toLocaleString(`${spoken}-u-nu-latn`, { maximumFractionDigits: 6 });
}
