/**
 * What chance does to an answer: ten made-up reports of an answer that somebody pretends to give.
 *
 * Nothing here is true, sent or kept. Its chance is a fixed row of words, never that of the report.
 */

import { ROW_SUM, sample } from "../core/channel.js";
import { element } from "./dom.js";
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
    reports.replaceChildren(...made.map((one) => element("li", {}, item.reports[one].text)));
    said.textContent = statements
      ? spunInWords(made)
      : isNamed(item)
        ? likeIt(item, truth, made)
        : anyOfThem();
  };
  const buttons = toPretend(item).map((truth) => {
    const button = element(
      "button",
      { type: "button", class: "quiet" },
      (statements ?? item.truths)[truth].text,
    );
    button.addEventListener("click", () => pretend(truth));
    return button;
  });
  return [
    element(
      "details",
      { class: "try" },
      element("summary", {}, say("See what chance does to an answer")),
      ...askedOf(survey, item),
      element(
        "p",
        {},
        statements ? whichIsTrue() : say("Pretend that one of these is your answer. Tap it."),
      ),
      element("div", { class: "pretend" }, ...buttons),
      reports,
      said,
      element("p", { class: "hint" }, say("Nothing here is sent or kept.")),
      ...(statements ? [] : coinLines(item)).map((text) => element("p", {}, text)),
    ),
  ];
}

/** Which question an item is of. @param {SurveyDocument} survey @param {Item} item */
export function askedOf({ questions }, item) {
  const question = questions.find(({ id }) => id === item.question)?.text ?? "";
  const part = question === item.text ? [] : [element("p", {}, item.text)];
  return [element("p", {}, say("“{question}”", { question })), ...part];
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
