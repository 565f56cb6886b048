/** What the page says in its language. */

import { filled } from "../../client/browser/core/refusal.js";

/** By the English sentence. @type {Record<string, string>} */
const words = JSON.parse(globalThis.document?.body?.dataset.words ?? "{}");

/**
 * A sentence in the language of the page.
 * @param {string} sentence with the names of values in braces
 * @param {Record<string, string | number>} [values] by name
 */
export function say(sentence, values = {}) {
  const marks = globalThis.document?.dir === "rtl" ? ["\u2068", "\u2069"] : undefined;
  return filled(words[sentence] ?? sentence, values, marks);
}
