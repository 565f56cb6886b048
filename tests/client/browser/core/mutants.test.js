/**
 * Whatever document a server makes of a survey with waves: what passes the check reveals no more
 * than it says, by the law that this program really samples.
 *
 * The law is found by running the program, exactly: what it sends changes only where a word crosses
 * a running sum of a row in the document, so that one word between each two of them is enough.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawAll } from "../../../../client/browser/core/chance.js";
import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { randomise } from "../../../../client/browser/core/report.js";
import { drawMaps, readyReports } from "../../../../client/browser/core/waves.js";
import { largerPanel } from "../panel.js";

const ALL_WORDS = 2 ** 32;
const MUTANTS = 1500;
/** Each ε is rounded to millionths, of each of two items. */
const ROUNDING = 2.1e-6;

/** Numbers from 0 to below 1, the same each time (Park and Miller 1988). */
let state = 9;
const chance = () => (state = (state * 48271) % 2147483647) / 2147483647;
/** @param {number} count */
const below = (count) => Math.floor(chance() * count);
/** @template T @param {T[]} values @returns {T} */
const oneOf = (values) => values[below(values.length)];

/**
 * The places where words are told apart.
 *
 * @param {Item} item
 * @returns {[number, number][]} the first word of each stretch, and its share of all words
 */
function stretches({ weights, permanent = [], redraw = 0, reports }) {
  const same = ALL_WORDS - (reports.length - 1) * redraw;
  const drawn = reports.map((_report, kept) =>
    reports.map((_other, sent) => (sent === kept ? same : redraw)),
  );
  const starts = new Set([0]);
  for (const row of [...weights, ...permanent, ...drawn]) {
    let sum = 0;
    for (const weight of row) starts.add((sum += weight));
  }
  const sorted = [...starts].filter((word) => word < ALL_WORDS).sort((one, other) => one - other);
  return sorted.map((word, at) => [word, ((sorted[at + 1] ?? ALL_WORDS) - word) / ALL_WORDS]);
}

/**
 * The law of what is sent of an item.
 *
 * @param {SurveyDocument} survey
 * @param {number} place
 * @returns {{share: number, laws: number[][]}[]} of each stretch of the word that decides what is
 *   kept its share, and for each truth how likely each report then is
 */
function sampled(survey, place) {
  const { words } = drawAll(survey, (drawn) => drawn.fill(1), []);
  const item = survey.items[place];
  const steps = stretches(item);
  return steps.map(([kept, share]) => {
    words.fill(kept, survey.items.length);
    const maps = drawMaps(survey, words);
    const laws = item.weights.map((row) => row.map(() => 0));
    for (const [word, width] of steps) {
      words[place] = word;
      const ready = readyReports(survey, words, maps);
      laws.forEach((law, truth) => {
        const truths = survey.items.map((_item, at) => (at === place ? truth : 0));
        law[randomise(survey, truths, words, [], ready)[place]] += width;
      });
    }
    return { share, laws };
  });
}

/**
 * @param {number[][]} laws a row for each truth, as likely as each report is
 * @returns {number}
 */
function worst(laws) {
  const ratios = laws[0].map((_chance, report) => {
    const column = laws.map((law) => law[report]);
    const most = Math.max(...column);
    // Less than one word in 2^64 is what is left of 0 by rounding.
    return most < 1e-19 ? 0 : Math.log(most / Math.min(...column));
  });
  return Math.max(...ratios);
}

/**
 * What an item really reveals: by one report, by three while the truth stays, and by a change.
 *
 * @param {SurveyDocument} survey
 * @param {number} place
 */
function revealed(survey, place) {
  const given = sampled(survey, place);
  const truths = given[0].laws.map((_law, truth) => truth);
  const reports = given[0].laws[0].map((_chance, report) => report);
  const waves = (/** @type {number} */ count) => {
    /** @type {number[][]} */
    let patterns = [[]];
    for (let wave = 0; wave < count; wave += 1) {
      patterns = patterns.flatMap((sent) => reports.map((report) => [...sent, report]));
    }
    return truths.map((truth) =>
      patterns.map((sent) =>
        given.reduce(
          (sum, { share, laws }) =>
            sum + sent.reduce((product, report) => product * laws[truth][report], share),
          0,
        ),
      ),
    );
  };
  return {
    once: worst(waves(1)),
    longitudinal: worst(waves(3)),
    // Between any two noisy answers that may be kept.
    changing: worst(given.flatMap(({ laws }) => laws)),
  };
}

/**
 * Every list, table and value of what decides how private an answer is.
 *
 * @param {any} part
 * @returns {[any, string][]} where it stands, and under which name
 */
function partsOf(part) {
  if (part === null || typeof part !== "object") return [];
  return Object.keys(part).flatMap((key) => [[part, key], ...partsOf(part[key])]);
}

/** @type {(part: any) => boolean} */
const isList = Array.isArray;

/** @type {((part: any, key: string, other: any) => void)[]} */
const changes = [
  (part, key) => (isList(part) ? part.splice(Number(key), 1) : delete part[key]),
  (part, key) => isList(part) && part.push(structuredClone(part[key])),
  (part, key, other) => (part[key] = structuredClone(other)),
  (part, key) => isList(part) && ([part[0], part[key]] = [part[key], part[0]]),
  (part, key) => (part[key] = oneOf([0, 1, -1, 0.5, 2 ** 31, ALL_WORDS, null, "", " 1 ", "x", {}])),
  (part, key) => typeof part[key] === "number" && (part[key] += oneOf([-1e-6, 1e-6, -1, 1, 9])),
  (part, key) => typeof part[key] === "number" && (part[key] *= oneOf([0, 0.5, 2, 1000])),
  (part, key) => (part[key] = oneOf([String, (/** @type {any} */ one) => [one]])(part[key])),
  // From one report to another, so that the row still sums to 2^32.
  (part, key) => {
    if (!isList(part) || typeof part[0] !== "number") return;
    const moved = oneOf([1, 2, 1000, part[key]]);
    part[key] -= moved;
    part[below(part.length)] += moved;
  },
];

const FEW = new Set(["permanent", "redraw", "epsilon", "once", "changing", "count"]);

/** A survey that a server made worse in one way, or in up to four. */
function mutant() {
  const survey = largerPanel();
  for (let left = 1 + below(4); left > 0; left -= 1) {
    const { waves, items } = survey;
    const all = partsOf({ waves, items: items.slice(0, 2) });
    // Cells of tables are many, and the promises few: each kind as often as the other.
    const few = all.filter(([, name]) => FEW.has(name));
    const parts = chance() < 0.5 ? few : all;
    const [part, key] = oneOf(parts);
    const [from, name] = oneOf(parts);
    oneOf(changes)(part, key, from[name]);
  }
  return survey;
}

/** Whether the page would come to ask anything. @param {SurveyDocument} survey */
function accepted(survey) {
  try {
    checkPromise(survey);
    const { words } = drawAll(survey, (drawn) => drawn.fill(1), []);
    readyReports(survey, words, drawMaps(survey, words));
    return true;
  } catch {
    return false;
  }
}

test("what passes the check reveals no more than it says", () => {
  const count = { accepted: 0, refused: 0 };
  for (let tries = 0; tries < MUTANTS; tries += 1) {
    const survey = mutant();
    if (!accepted(survey)) {
      count.refused += 1;
      continue;
    }
    count.accepted += 1;
    const sums = { once: 0, longitudinal: 0, changing: 0 };
    const told = JSON.stringify(survey);
    survey.items.forEach(({ question, epsilon, once }, place) => {
      const { protection } = survey.questions.filter(({ id }) => id === question)[0];
      if (protection === "direct") return;
      const own = revealed(survey, place);
      assert.ok(own.once <= Number(once) + ROUNDING, `${own.once} once: ${told}`);
      assert.ok(
        own.longitudinal <= Number(epsilon) + ROUNDING,
        `${own.longitudinal} in all: ${told}`,
      );
      sums.once += own.once;
      sums.longitudinal += own.longitudinal;
      sums.changing += own.changing;
    });
    // As the page reads them when it says them in odds.
    const { count: waves, once, changing } = Object(survey.waves);
    const bound = changing === null ? Infinity : Number(changing);
    assert.ok(sums.once <= Number(once) + ROUNDING, `${sums.once} once: ${told}`);
    assert.ok(
      sums.longitudinal <= survey.epsilon + ROUNDING,
      `${sums.longitudinal} in all: ${told}`,
    );
    assert.ok(waves * sums.changing <= bound + ROUNDING, `${sums.changing} in each: ${told}`);
  }
  // Neither side may become so small that nothing is tried.
  assert.ok(count.accepted > MUTANTS / 20 && count.refused > MUTANTS / 20, JSON.stringify(count));
});

test("the law that is found by running the program is the one that is worked out", () => {
  const survey = largerPanel();
  const [doped, slept] = [revealed(survey, 0), revealed(survey, 1)];
  const close = (/** @type {number} */ one, /** @type {number} */ other) =>
    assert.ok(Math.abs(one - other) < 1e-12, `${one}, expected ${other}`);
  close(doped.once, Math.log(11 / 5));
  close(doped.changing, Math.log(7));
  close(slept.once, Math.log(30 / 17));
  close(slept.changing, Math.log(14));
  // Three times the same report: 7/8 cubed of 3 in 4 and 1/8 cubed of 1 in 4, or the other way.
  close(doped.longitudinal, Math.log((3 * 343 + 1) / (343 + 3)));
});
