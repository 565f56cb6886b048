/**
 * Which number somebody means by what they typed.
 *
 * People write a number with the digits, spaces and signs that they are used to, and a currency
 * beside it. `1,250` is twelve hundred and fifty to some and one and a quarter to others, in every
 * language that this page speaks. What has two readings is asked back: a guess would be randomised
 * and sent as if it were the person's answer.
 */

/** Signs that are written in several ways, and the one that stands for them here. */
const SIGNS = /** @type {[RegExp, string][]} */ ([
  // Marks that nobody sees, such as those that turn the direction of the text.
  [/\p{Cf}/gu, ""],
  [/[\p{Pd}\u2212\u207b]/gu, "-"],
  // The thousands sign of Arabic digits only groups, as apostrophes do.
  [/[‘’`´ʼ′＇\u066c]/g, "'"],
  [/[\u060c，]/g, ","],
  [/．/g, "."],
  [/[٪％]/g, "%"],
  // The decimal sign of Arabic digits, and the raised one.
  [/\u066b/g, "·"],
  [/\s+/g, " "],
  // Whole amounts: 1250,– and 1250.--
  [/[.,]--?(?!\d)/, ""],
]);

/** A sign and a currency, in whichever order; the number; a currency, a word of the question, or %. */
const SHAPE =
  /^([-+]?) ?((?:us ?)?\p{Sc}(?: ?us)?|\p{L}[\p{L}\p{M}]*\.?)? ?([-+]?) ?([.,·]?\d(?:[\d.,·' ]*\d)?[.,·]?) ?((?:us ?)?\p{Sc}(?: ?us)?|\p{L}[\p{L}\p{M}]*\.?|%)?$/u;

/** What people write for a unit, by the words in which a question asks for it. */
const SHORT = /** @type {[RegExp, string[]][]} */ ([
  [/^(?:hours?|stunden?|heures?|horas?|ساعات|ساعة)$/, ["h", "hr", "hrs", "std"]],
  [/^(?:minutes?|minuten?|minutos?|دقائق|دقيقة)$/, ["min", "mins"]],
  [/^(?:kilograms?|kilogramm|kilogrammes?|kilos?|kilogramos?)$/, ["kg"]],
  [/^(?:kilomet(?:er|re)s?|kilómetros?|kilomètres?)$/, ["km"]],
  [/^(?:percent|percentage|prozent|pourcentage|porcentaje)$/, ["%"]],
]);

/**
 * What may stand behind a number: the words of its question, and what is short for them.
 * @param {string} question
 * @param {string} most the greatest number that can be answered
 */
export function unitsIn(question, most) {
  const words = question.toLowerCase().match(/[\p{L}\p{M}]{3,}/gu) ?? [];
  const short = SHORT.flatMap(([named, all]) =>
    words.some((word) => named.test(word)) ? all : [],
  );
  return [...words, ...short, ...(question.includes("%") || most === "100" ? ["%"] : [])];
}

const CURRENCY =
  /\p{Sc}|^(?:euros?|dollars?|pounds?|francs?|franken|fr|kr|rs|zł|يورو|دولار|جنيه|ريال|درهم|دينار)$/u;

/** The codes of currencies, where a browser lists them. */
const CODES = Intl.supportedValuesOf?.("currency") ?? [];

/**
 * A decimal digit of whatever script as one of 0 to 9. Each script has its ten in a row.
 * @param {string} sign
 */
function digitOf(sign) {
  const code = sign.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - 1 - before))) before += 1;
  return String(before % 10);
}

/**
 * All that a text can mean as a number, first what it means as the language writes numbers.
 * @param {string} typed
 * @param {string} language such as "de"
 * @param {string[]} [units] words that may stand behind the number
 * @returns {number[]}
 */
export function readingsOf(typed, language, units = []) {
  const text = SIGNS.reduce(
    (before, [sign, plain]) => before.replace(sign, plain),
    typed.replace(/\p{Nd}/gu, digitOf).toLowerCase(),
  );
  const [, sign = "", before = "", inner = "", body, after = ""] = SHAPE.exec(text.trim()) ?? [];
  const goes = isCurrency(before) && (isCurrency(after) || units.includes(after.replace(".", "")));
  if (body === undefined || !goes || (sign && inner)) return [];
  const own = decimalSign(language);
  const found = new Set();
  for (const point of [own, own === "." ? "," : ".", "·"]) {
    for (const group of [".", ",", "'", " "].filter((one) => one !== point)) {
      // Groups of three, or as in India of two before the last one.
      const whole = `\\d*|[1-9]\\d{0,2}(?:[${group}]\\d{3})+|[1-9]\\d?(?:[${group}]\\d\\d)+[${group}]\\d{3}`;
      const parts = new RegExp(`^(${whole})(?:[${point}](\\d*))?$`).exec(body);
      if (parts) found.add(Number(`${parts[1].replaceAll(group, "")}.${parts[2] ?? ""}`));
    }
  }
  return [...found].map((value) => (sign + inner === "-" ? -value : value));
}

/** @param {string} word */
function isCurrency(word) {
  const name = word.replace(".", "");
  return name === "" || CURRENCY.test(name) || CODES.includes(name.toUpperCase());
}

/**
 * Which level somebody means, the nearest one; or that two different numbers may be meant.
 *
 * Of two readings, the one in the range is taken only if it is the language's own: somebody who
 * means the other one has typed a number that cannot be, and must be told.
 * @param {string} typed
 * @param {string[]} levels from the least to the most
 * @param {string} language
 * @param {string[]} [units]
 * @returns {Meant}
 */
export function meant(typed, levels, language, units) {
  const numbers = levels.map(Number);
  const readings = readingsOf(typed, language, units);
  const possible = readings.filter(
    (value) => value >= numbers[0] && value <= numbers[numbers.length - 1],
  );
  if (possible.length === 0) return { either: [], outside: readings.length > 0 };
  const [level, other = level] = possible.map((value) => nearest(numbers, value));
  if (level !== other || possible[0] !== readings[0]) return { either: readings };
  return { level, rounded: numbers[level] !== possible[0], either: [] };
}

/**
 * The place of the number that is nearest to a value; of two, the greater.
 * @param {number[]} numbers
 * @param {number} value
 */
function nearest(numbers, value) {
  const far = (/** @type {number} */ place) => Math.abs(numbers[place] - value);
  return numbers.reduce((best, _number, place) => (far(place) <= far(best) ? place : best), 0);
}

/** @param {string} language */
const decimalSign = (language) => (1.5).toLocaleString(`${language}-u-nu-latn`).charAt(1);

/**
 * A number as the language writes it, in a way that has no other reading.
 * @param {number} value
 * @param {string} language
 */
export function unmistakable(value, language) {
  const text = value.toLocaleString(`${language}-u-nu-latn`, {
    useGrouping: false,
    maximumFractionDigits: 20,
  });
  // Three digits behind a sign could be thousands.
  return /\D\d{3}$/.test(text) ? `${text}0` : text;
}
