/**
 * The page's own words, in the language that is read.
 *
 * The program is written in English sentences, each of which is the key to its translations; an
 * English survey loads no other words. Which language is spoken no server needs to know.
 */

/** @type {Record<string, string>} */
let translations = {};
let locale = "en";

/**
 * Speak another language from here on.
 *
 * @param {Record<string, string>} catalogue by the English sentence
 * @param {string} language such as "de"
 */
export function speak(catalogue, language) {
  translations = catalogue;
  locale = language;
}

/**
 * A sentence in the language that is spoken; in English where it is not translated.
 *
 * @param {string} sentence with the names of values in braces
 * @param {Record<string, string | number>} [values] by name
 */
export function say(sentence, values = {}) {
  return (translations[sentence] ?? sentence).replace(/\{(\w+)\}/g, (_braces, name) =>
    String(values[name]),
  );
}

/**
 * A number as the language writes it, always in the digits 0 to 9, which survey texts use too.
 *
 * @param {number} value
 */
export function inDigits(value) {
  return value.toLocaleString(`${locale}-u-nu-latn`, { maximumFractionDigits: 6 });
}
