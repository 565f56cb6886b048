/**
 * Answers surveys by the respondent's modules, with truths and words of a test's choosing: JSON of
 * the survey and the cases in, an outcome of each out. The modules are those of the folder that the
 * first argument names, and are called as the page calls them.
 */

import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

/** @typedef {{truths: number[], words: number[], wave: number}} Case */

const { survey, cases } = JSON.parse(await text(process.stdin));

/** @type {{body: string, rest: string}[]} */
let requests = [];
/** @type {number[]} Words to hand out instead of random ones. */
let tape = [];
let draws = 0;

Object.getPrototypeOf(globalThis.crypto).getRandomValues = (/** @type {Uint32Array} */ array) => {
  draws += 1;
  if (array.length !== tape.length) {
    throw new Error(`${array.length} words were asked for, expected ${tape.length}`);
  }
  array.set(tape);
  return array;
};

globalThis.fetch = async (
  /** @type {any} */ address,
  { body, ...rest } = /** @type {any} */ ({}),
) => {
  requests.push({ body: String(body), rest: JSON.stringify([String(address), rest]) });
  return new Response('{"status":"stored"}', { status: 201 });
};

const folder = `${pathToFileURL(process.argv[2])}/`;
const load = (/** @type {string} */ name) => import(new URL(name, folder).href);
/** @type {typeof import("../../client/browser/core/chance.js")} */
const { drawAll } = await load("core/chance.js");
/** @type {typeof import("../../client/browser/core/report.js")} */
const { makeReport, randomise } = await load("core/report.js");
/** @type {typeof import("../../client/browser/core/statement.js")} */
const { readyReplies } = await load("core/statement.js");
/** @type {typeof import("../../client/browser/core/submission.js")} */
const { send } = await load("core/submission.js");
/** @type {typeof import("../../client/browser/core/waves.js")} */
const { drawMaps, readyReports } = await load("core/waves.js");
/** @type {typeof import("../../client/browser/page/address.js")} */
const { addressOf } = await load("page/address.js");

const spins = survey.questions.some((/** @type {Question} */ { statements }) => statements);

/** Answer the survey as the page does, from the draw to the message. @param {Case} given */
async function answer({ truths, wave }) {
  const { id, words, asked } = drawAll(survey, (array) => void crypto.getRandomValues(array), []);
  const inWaves = () => readyReports(survey, words, drawMaps(survey, words));
  const ready = survey.waves ? inWaves() : spins ? readyReplies(survey, words) : [];
  const bytes = randomise(survey, truths, words, asked, ready, asked);
  await send(`${addressOf(survey)}reports`, makeReport(survey, id, bytes, wave));
}

const outcomes = [];
for (const one of cases) {
  [requests, tape, draws] = [[], one.words, 0];
  let problem = null;
  try {
    await answer(one);
    if (draws !== 1) problem = `randomness was asked for ${draws} times, expected once`;
  } catch (error) {
    problem = String(error);
  }
  outcomes.push({ requests, problem });
}
process.stdout.write(JSON.stringify(outcomes));
