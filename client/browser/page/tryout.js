/**
 * What chance does to an answer: ten made-up reports of an answer that somebody pretends to give.
 *
 * Nothing here is true, sent or kept. Its chance is a fixed row of words, never that of the report.
 */

import { ROW_SUM, sample } from "../core/channel.js";
import { questionOf } from "../core/questions.js";
import { clickable, element, hint, inParagraphs, paragraph, points } from "./dom.js";
import { say } from "./say.js";
import { spunInWords, whichIsTrue } from "./statement.js";
import { coinLines, isNamed, randomisedItems, statementsOf } from "./trust.js";

const AT_ONCE = 10;

/** From more answers than these, the least, one in the middle and the greatest are offered. */
const FEW = 6;

/** 2^32 divided by the golden ratio: its multiples spread over all words evenly. */
const GOLDEN = 0x9e3779b9;

/**
 * Ten reports of one truth, other ones at each tap.
 * @param {number[][]} weights
 * @param {number} truth
 * @param {number} taps how often it was tried before
 */
export function madeUpReports(weights, truth, taps) {
  // One word from each tenth of all words, so that ten reports are about as mixed as the channel says.
  const tenth = ROW_SUM / AT_ONCE;
  const within = (Math.imul(taps + 1, GOLDEN) >>> 0) / AT_ONCE;
  return Array.from({ length: AT_ONCE }, (_, place) =>
    sample(weights, truth, Math.floor(((3 * place + taps) % AT_ONCE) * tenth + within)),
  );
}

/**
 * @param {SurveyDocument} survey
 * @returns {HTMLElement[]} nothing where nothing is randomised
 */
export function tryOut(survey) {
  const [item] = randomisedItems(survey);
  if (!item) return [];
  const statements = statementsOf(survey, item);
  let taps = 0;
  const said = element("p", { role: "status" });
  const reports = element("ol", { class: "reports" });
  const pretend = (/** @type {number} */ truth) => {
    const made = madeUpReports(item.weights, truth, taps);
    taps += 1;
    reports.replaceChildren(...points(made.map((one) => item.reports[one].text)));
    said.textContent = statements
      ? spunInWords(made)
      : isNamed(item)
        ? likeIt(item, truth, made)
        : anyOfThem();
  };
  const buttons = toPretend(item).map((truth) =>
    clickable({ class: "quiet" }, (statements ?? item.truths)[truth].text, () => pretend(truth)),
  );
  return [
    element(
      "details",
      { class: "try" },
      element("summary", {}, say("See what chance does to an answer")),
      ...askedOf(survey, item),
      paragraph(
        statements ? whichIsTrue() : say("Pretend that one of these is your answer. Tap it."),
      ),
      element("div", { class: "pretend" }, ...buttons),
      reports,
      said,
      hint(say("Nothing here is sent or kept.")),
      ...inParagraphs(statements ? [] : coinLines(item)),
    ),
  ];
}

/** Which question an item is of. @param {SurveyDocument} survey @param {Item} item */
export function askedOf(survey, item) {
  const question = questionOf(survey, item)?.text ?? "";
  const part = question === item.text ? [] : [paragraph(item.text)];
  return [paragraph(say("“{question}”", { question })), ...part];
}

/** The places of the answers to choose from. @param {Item} item */
function toPretend({ truths }) {
  const all = [...truths.keys()];
  return all.length > FEW ? [0, Math.floor(all.length / 2), all.length - 1] : all;
}

/**
 * @param {Item} item
 * @param {number} truth
 * @param {number[]} made
 */
function likeIt({ truths }, truth, made) {
  const count = made.filter((one) => one === truth).length;
  return say("“{truth}” stands in {count} of these 10 reports. Chance changed the rest.", {
    count,
    truth: truths[truth].text,
  });
}

const anyOfThem = () => say("Each of these reports may come from any answer.");
