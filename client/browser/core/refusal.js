/** Why nothing may be asked or sent: an English sentence, which the page says in its own language. */
export class Refusal extends Error {
  /** Where it could be asked; empty if nowhere. */
  onward = "";

  /**
   * @param {string} sentence with the names of values in braces
   * @param {Record<string, string>} [values] by name
   * @param {unknown} [cause] what is wrong with what the sentence names
   */
  constructor(sentence, values = {}, cause) {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    super(`${filled(sentence, values)}${reason}`, { cause });
    this.sentence = sentence;
    this.values = values;
  }
}

/** Nothing answered, or another program than our server: no check has failed. */
export class NoConnection extends Error {}

/**
 * Put values into a sentence, in place of their names in braces.
 * @param {string} sentence
 * @param {Record<string, string | number>} values by name
 * @param {(value: string | number) => string} [written] how a value is written
 */
export function filled(sentence, values, written = String) {
  return sentence.replace(/\{(\w+)\}/g, (_braces, name) => written(values[name]));
}
