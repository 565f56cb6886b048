/**
 * The report: all that ever leaves this device.
 *
 * Two hex digits an item, whatever was answered, so that its length says nothing.
 */

import { sample } from "./channel.js";
import { keepsNoise } from "./questions.js";
import { Refusal } from "./refusal.js";
import { groupOf, withGroups } from "./together.js";

const ID_WORDS = 4;

/** The bytes of an item that chance did not draw, and of one that is not reported again. */
export const NOT_DRAWN = 254;
export const NOT_ASKED = 255;

/** Two equal words among a thousand come once in 10,000 times; eight times in a row, never. */
const TRIES = 8;

/**
 * Everything that chance decides, drawn when the page opens and before anybody has answered: the
 * time that it takes cannot depend on an answer.
 * @param {Randomness} randomness
 * @param {number} items
 * @param {number[]} choices how many each draw of what is asked chooses from
 * @returns {{id: string, words: Uint32Array, draws: Uint32Array[]}} a word for each item, and one
 *   for each choice of each draw, all different within a draw
 */
export function drawChance(randomness, items, choices = []) {
  const total = choices.reduce((sum, count) => sum + count, ID_WORDS + items);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const drawn = drawWords(randomness, total);
    let end = ID_WORDS + items;
    const draws = choices.map((count) => drawn.subarray(end, (end += count)));
    // Two equal words would favour the choice that stands first: then all is drawn again.
    if (draws.every((words) => new Set(words).size === words.length)) {
      const id = Array.from(drawn.subarray(0, ID_WORDS), (word) => hex(word, 8)).join("");
      return { id, words: drawn.subarray(ID_WORDS, ID_WORDS + items), draws };
    }
  }
  throw notWorking();
}

export const notWorking = () => new Refusal("this browser’s random numbers are not working");

/**
 * Random words. Three equal ones in a row are none: the array was not filled, or not to its end, and
 * such an id would be the same on every device, and such words could send every truth. By chance that
 * comes less than once in 2^64 draws for each word: of a thousand words, once in 10^16 pages.
 * @param {Randomness} randomness @param {number} count
 */
export function drawWords(randomness, count) {
  const words = new Uint32Array(count);
  randomness(words);
  if (words.some((word, at) => word === words[at + 1] && word === words[at + 2])) {
    throw notWorking();
  }
  return words;
}

/**
 * Randomise: from the truths to the bytes that are sent.
 * @param {SurveyDocument} survey @param {number[]} truths of each item @param {Uint32Array} words
 * @param {boolean[]} [due] whether each item is to be reported, all by default: what was reported
 *   before is not, as fresh noise on the same truth could be averaged away
 * @param {number[][]} [ready] in waves or by a spinner, the report of each truth, drawn already
 * @param {boolean[]} [asked] whether chance drew each item, all by default
 * @returns {number[]} one byte an item
 * @throws {Error} if something randomised is asked in waves, and no report of that truth is ready
 */
export function randomise(survey, truths, words, due = [], ready = [], asked = []) {
  const bytes = survey.items.map((item, place) => {
    if (asked[place] === false) return NOT_DRAWN;
    if (due[place] === false) return NOT_ASKED;
    const truth = truths[place];
    const drawn = ready[place]?.[truth];
    if (drawn !== undefined) return drawn;
    // The adversary is a server whose `weights` are only shown: in waves nothing is drawn by them.
    if (
      keepsNoise(survey) &&
      item.epsilon !== null &&
      !(survey.together && groupOf(survey, item))
    ) {
      throw new Refusal("it would reveal more than is promised");
    }
    return sample(item.weights, truth, words[place]);
  });
  return survey.together ? withGroups(survey, truths, words, bytes, ready) : bytes;
}

/**
 * @param {SurveyDocument} survey @param {string} id @param {number[]} bytes
 * @param {number} [wave] from 1, in a survey that is asked in waves
 * @returns {NoisyReport}
 */
export function makeReport(survey, id, bytes, wave) {
  const answers = bytes.map((byte) => hex(byte, 2)).join("");
  const inWave = wave ? { wave: hex(wave, 2) } : {};
  return { survey: survey.survey, revision: survey.revision, id, ...inWave, answers };
}

/** The bytes of a report, one an item. @param {string} answers */
export function bytesOf(answers) {
  return (answers.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
}

/** @param {number} value @param {number} digits */
export function hex(value, digits) {
  return value.toString(16).padStart(digits, "0");
}
