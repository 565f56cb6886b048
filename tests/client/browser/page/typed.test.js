/** Which number somebody means: a table of what people type, and every level in every style. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { meant, readingsOf, unitsIn, unmistakable } from "../../../../client/browser/page/typed.js";

const LANGUAGES = ["en", "de", "fr", "es", "ar"];

/** What is typed, and the only number that it can be, whatever the language. */
const ONE_READING = /** @type {[string, number][]} */ ([
  ["1234", 1234],
  [" 7 ", 7],
  ["007", 7],
  ["+7", 7],
  // Digits of other scripts.
  ["٣", 3],
  ["۱۲۳۴", 1234],
  ["१२३४", 1234],
  ["１２５０", 1250],
  // Spaces: a usual one, no-break, thin, narrow no-break.
  ["1 250", 1250],
  ["1\u00a0250", 1250],
  ["1\u2009250", 1250],
  ["1\u202f250\u202f000", 1250000],
  // Apostrophes, as in Switzerland, and the thousands sign of Arabic digits.
  ["1'250", 1250],
  ["1’250.50", 1250.5],
  ["١٬٢٥٠", 1250],
  // Signs that can be nothing else.
  ["1,250.00", 1250],
  ["1.250,00", 1250],
  ["1.250.000", 1250000],
  ["1,25", 1.25],
  ["1.25", 1.25],
  ["12.5", 12.5],
  ["0,250", 0.25],
  ["0.250", 0.25],
  ["1250,500", 1250.5],
  [".5", 0.5],
  ["5.", 5],
  ["١٫٢٥٠", 1.25],
  ["1·5", 1.5],
  // As in India.
  ["1,00,000", 100000],
  // Currencies.
  ["1250 €", 1250],
  ["€1250", 1250],
  ["$ 12.50", 12.5],
  ["£5", 5],
  ["1250 EUR", 1250],
  ["chf 1'250.-", 1250],
  ["1250,–", 1250],
  ["1250.--", 1250],
  ["Rs.500", 500],
  ["US$ 5", 5],
  ["12 euros", 12],
  ["١٢ درهم", 12],
  // Every minus.
  ["-5", -5],
  ["−5", -5],
  ["–5", -5],
  ["- 5", -5],
  ["-€5", -5],
  ["€ -5", -5],
  ["\u200e-5", -5],
  ["\u061c-٥", -5],
]);

/** What has two readings: the first as the language writes it. */
const TWO_READINGS = /** @type {[string, Record<string, number[]>][]} */ ([
  ["1,250", { en: [1250, 1.25], de: [1.25, 1250], fr: [1.25, 1250], es: [1.25, 1250] }],
  ["1.250", { en: [1.25, 1250], de: [1250, 1.25], fr: [1250, 1.25], ar: [1.25, 1250] }],
  ["١،٢٥٠", { en: [1250, 1.25], ar: [1250, 1.25] }],
  ["€1,250", { en: [1250, 1.25] }],
  ["-12.345 EUR", { en: [-12.345, -12345], de: [-12345, -12.345] }],
]);

/** What is no number, or more than a number. */
const NO_READING = [
  ...["", " ", "-", ".", "€", "four", "5k", "5 k€", "1e3", "5 mil", "2½", "5²", "1/2", "50%"],
  ...["3 or 4", "3-4", "3–4", "5-", "12 50", "1 2 3", "1,2,3", "1.250.50", "1,250,50", "--5"],
  ...["under 5", "5+", "1€50", "0x10", "Infinity", "5 or more", "1 250 0"],
];

test("what people type is read, in every language", () => {
  for (const [typed, value] of ONE_READING) {
    for (const language of LANGUAGES) {
      assert.deepEqual(readingsOf(typed, language), [value], `${typed} in ${language}`);
    }
  }
});

test("what can be thousands or a fraction is both, the language's own reading first", () => {
  for (const [typed, readings] of TWO_READINGS) {
    for (const [language, expected] of Object.entries(readings)) {
      assert.deepEqual(readingsOf(typed, language), expected, `${typed} in ${language}`);
    }
  }
});

test("what is no number is none: nothing is picked out of it", () => {
  for (const typed of NO_READING) {
    for (const language of LANGUAGES) {
      assert.deepEqual(readingsOf(typed, language), [], `${typed} in ${language}`);
    }
  }
});

test("a word stands behind the number only if the question has it: it is no other unit then", () => {
  assert.deepEqual(readingsOf("20 hours", "en", ["many", "hours"]), [20]);
  assert.deepEqual(readingsOf("20 Stunden", "de", ["stunden"]), [20]);
  assert.deepEqual(readingsOf("20 days", "en", ["many", "hours"]), []);
  assert.deepEqual(readingsOf("hours 20", "en", ["many", "hours"]), []);
});

test("the digits of every script are read as the platform writes them", () => {
  const systems = Intl.supportedValuesOf("numberingSystem").filter((system) =>
    /^\p{Nd}+$/u.test(new Intl.NumberFormat(`en-u-nu-${system}`).format(7)),
  );
  assert.ok(systems.length > 60);
  for (const system of systems) {
    const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false });
    assert.deepEqual(readingsOf(format.format(9876543210), "en"), [9876543210], system);
  }
});

const EARNINGS = Array.from({ length: 201 }, (_, place) => String(50 * place));
const THOUSANDS = Array.from({ length: 81 }, (_, place) => String(1000 + 50 * place));
const QUARTERS = Array.from({ length: 41 }, (_, place) => String(place / 4));
const DEGREES = Array.from({ length: 101 }, (_, place) => String(-1000000 + 20000 * place));

/** What is typed, for which levels, and in which language the level that is used. */
const USED = /** @type {[string, string[], string, string | undefined, boolean?][]} */ ([
  ["1250", EARNINGS, "en", "1250"],
  ["1234", EARNINGS, "en", "1250", true],
  ["1224", EARNINGS, "en", "1200", true],
  // Half-way is rounded up.
  ["1225", EARNINGS, "en", "1250", true],
  ["9999.99", EARNINGS, "en", "10000", true],
  ["10000.01", EARNINGS, "en", undefined],
  ["-0.01", EARNINGS, "en", undefined],
  ["2,3", QUARTERS, "de", "2.25", true],
  ["2.125", ["0", "1", "2"], "en", undefined],
  // One reading in the range, the language's own.
  ["1,250", THOUSANDS, "en", "1250"],
  ["1.250", THOUSANDS, "de", "1250"],
  ["1.250", QUARTERS, "en", "1.25"],
  ["1,250", QUARTERS, "fr", "1.25"],
  ["-999,999", DEGREES, "en", undefined],
  ["-990000", DEGREES, "en", "-980000", true],
]);

test("the nearest level is used, and it is said whether that is another number", () => {
  for (const [typed, levels, language, expected, rounded = false] of USED) {
    const { level, rounded: said = false } = meant(typed, levels, language);
    const used = level === undefined ? undefined : levels[level];
    assert.deepEqual([used, said], [expected, rounded], `${typed} in ${language}`);
  }
});

test("two readings are asked back, also where the language's own cannot be", () => {
  for (const language of LANGUAGES) {
    for (const typed of ["1,250", "1.250"]) {
      assert.equal(meant(typed, EARNINGS, language).either.length, 2, `${typed} in ${language}`);
    }
  }
  // Somebody who means twelve hundred and fifty is not taken for one and a quarter.
  assert.deepEqual(meant("1,250", QUARTERS, "en"), { either: [1250, 1.25] });
  assert.deepEqual(meant("1.250", QUARTERS, "de"), { either: [1250, 1.25] });
  // The same level either way needs no question.
  assert.equal(meant("1.250", ["0", "10000"], "en").level, 0);
});

test("what lies outside the range is told from what is no number", () => {
  for (const typed of ["10001", "-1", "20.000,50", "99999999999999999999"]) {
    assert.deepEqual(meant(typed, EARNINGS, "de"), { either: [], outside: true }, typed);
  }
  for (const typed of ["", "many", "3 or 4"]) {
    assert.deepEqual(meant(typed, EARNINGS, "de"), { either: [], outside: false }, typed);
  }
});

test("what a button types has one reading, and that is its number", () => {
  for (const language of LANGUAGES) {
    for (const value of [1250, 1.25, 1.125, 12345, 12.345, -1.005, 0.5, 999.999]) {
      const text = unmistakable(value, language);
      assert.deepEqual(readingsOf(text, language), [value], `${text} in ${language}`);
    }
  }
});

/** Ways to write a number. @type {Intl.NumberFormatOptions[]} */
const STYLES = ["always", "min2", false].flatMap((useGrouping) =>
  [
    {},
    { style: "currency", currency: "EUR" },
    { style: "currency", currency: "USD" },
    { style: "currency", currency: "CHF", currencyDisplay: "code" },
  ].map((style) => /** @type {any} */ ({ maximumFractionDigits: 2, useGrouping, ...style })),
);

/** Of each language of the pages, regions that write numbers in other ways. */
const REGIONS = [
  ...["en", "en-IN", "en-ZA", "de", "de-AT", "de-CH", "fr", "fr-CA", "fr-CH", "es", "es-MX"],
  ...["ar", "ar-EG", "ar-MA", "ar-u-nu-arab", "en-u-nu-deva", "en-u-nu-arabext"],
];

test("every level comes back in every style: as itself, or as one of two that are asked", () => {
  const found = { asked: 0, used: 0 };
  // Many styles of a language write a number alike.
  const read = new Set();
  for (const region of REGIONS) {
    const language = region.slice(0, 2);
    for (const style of STYLES) {
      const format = new Intl.NumberFormat(region, style);
      for (const levels of [EARNINGS, THOUSANDS, QUARTERS, DEGREES]) {
        levels.forEach((text, place) => {
          const typed = format.format(Number(text));
          const once = `${language} ${levels.length} ${typed}`;
          if (read.has(once)) return;
          read.add(once);
          const { level, rounded, either } = meant(typed, levels, language);
          found[level === undefined ? "asked" : "used"] += 1;
          if (level !== undefined) {
            assert.deepEqual([level, rounded], [place, false], typed);
            return;
          }
          assert.ok(either.includes(Number(text)), `${typed} in ${language}`);
          // Only one sign, with three digits behind it, is ever asked back.
          assert.match(typed, /^[^.,،]*\p{Nd}[.,،]\p{Nd}{3}[^.,،\p{Nd}]*$/u);
        });
      }
    }
  }
  assert.ok(found.asked > 1000 && found.used > 10 * found.asked, JSON.stringify(found));
});

test("what is short for a word of the question may stand behind the number", () => {
  const asked = /** @type {[string, string, string, number][]} */ ([
    ["How many hours a week?", "60", "7 h", 7],
    ["How many hours a year?", "2000", "1200h", 1200],
    ["Wie viele Stunden?", "60", "7 Std.", 7],
    ["كم ساعة؟", "60", "٧ h", 7],
    ["How many minutes?", "60", "5min", 5],
    ["What percentage?", "50", "20 %", 20],
    ["How sure are you, from 0 to 100?", "100", "100%", 100],
    ["ما النسبة؟ (%)", "50", "٢٠٪", 20],
  ]);
  for (const [question, most, typed, value] of asked) {
    assert.deepEqual(readingsOf(typed, "en", unitsIn(question, most)), [value], typed);
  }
});

test("a unit that the question does not name is refused", () => {
  for (const typed of ["7 h", "7h", "20%", "7 m", "7 k", "7 kg"]) {
    assert.deepEqual(readingsOf(typed, "en", unitsIn("How many days a month?", "60")), [], typed);
  }
  assert.deepEqual(readingsOf("90 min", "en", unitsIn("How many hours?", "60")), []);
});
