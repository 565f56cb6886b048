/**
 * The report: all that ever leaves this device.
 *
 * Two hex digits an item, whatever was answered, so that its length says nothing.
 *
 * @import {SurveyDocument} from "./protocol.js"
 * @typedef {{survey: string, revision: string, id: string, answers: string}} Report
 * @typedef {(words: Uint32Array<ArrayBuffer>) => void} Randomness fills an array with uniform 32-bit words
 */

import { sample } from "./channel.js";

const ID_WORDS = 4;

/**
 * Everything that chance decides, drawn when the page opens and before anybody has answered: the
 * time that it takes cannot depend on an answer.
 *
 * @param {Randomness} randomness such as `(words) => crypto.getRandomValues(words)`
 * @param {number} items
 * @returns {{id: string, words: Uint32Array}}
 */
export function drawChance(randomness, items) {
  const drawn = new Uint32Array(ID_WORDS + items);
  randomness(drawn);
  // An array that is still all zeros was not filled: such a "random" id would be the same on every
  // device and, worse, such words would send every truth as its first report.
  if (drawn.every((word) => word === 0)) throw new Error("the randomness of this browser is stuck");
  const id = Array.from(drawn.subarray(0, ID_WORDS), (word) => hex(word, 8)).join("");
  return { id, words: drawn.subarray(ID_WORDS) };
}

/**
 * Randomise: from the truths to the bytes that are sent.
 *
 * @param {SurveyDocument} survey
 * @param {number[]} truths index of the true answer to each item
 * @param {Uint32Array} words one for each item
 * @param {(number | undefined)[]} kept bytes that this device has sent for an item before: they are
 *   sent again, never drawn again, because fresh noise on the same truth could be averaged away
 * @returns {number[]} one byte an item
 */
export function randomise(survey, truths, words, kept = []) {
  return survey.items.map(
    (item, place) => kept[place] ?? sample(item.weights, truths[place], words[place]),
  );
}

/**
 * @param {SurveyDocument} survey
 * @param {string} id
 * @param {number[]} bytes
 * @returns {Report}
 */
export function makeReport(survey, id, bytes) {
  const answers = bytes.map((byte) => hex(byte, 2)).join("");
  return { survey: survey.survey, revision: survey.revision, id, answers };
}

/**
 * The bytes of a report, one an item.
 *
 * @param {string} answers
 * @returns {number[]}
 */
export function bytesOf(answers) {
  return (answers.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
}

/**
 * @param {number} value
 * @param {number} digits
 */
function hex(value, digits) {
  return value.toString(16).padStart(digits, "0");
}
