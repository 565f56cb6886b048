/**
 * How answers are sent, in words: of each question below it, of all of them on the first screen.
 * `deniable/text/randomisation.py` says the same of all of them.
 */

import { ROW_SUM } from "../core/channel.js";
import { isOfNumbers, offersYesNo, questionOf } from "../core/questions.js";
import { groupOf, tableOf } from "../core/together.js";
import { numberIsPicked } from "./number.js";
import { timesIn100 } from "./odds.js";
import { say } from "./say.js";
import { spinnerMark, statementIsPicked } from "./statement.js";
import { whatIsPicked } from "./subset.js";
import { mixedAsOne, mixedMark } from "./together.js";
import { isNamed } from "./trust.js";

/** A chance of 1 in at least and at most so many is said like this, and any other in 100. */
const SHARES = [3, 10];

/** Of 100 people of a truth, how many send something else. @param {number} kept */
const howOften = (kept) => Math.round((100 * (ROW_SUM - kept)) / ROW_SUM);

/** How often each truth is changed: one number if all are alike. @param {Item} item */
function changes({ weights }) {
  const all = weights.map((row, truth) => howOften(row[truth]));
  return all.every((count) => count === all[0]) ? all.slice(0, 1) : all;
}

/**
 * How chance decides on all protected answers: what is said of each where it is the same of all.
 * @param {SurveyDocument} survey
 * @param {number} answers how many one person gives
 */
export function randomisation(survey, answers) {
  const mixed = survey.items.filter(({ epsilon }) => epsilon !== null);
  const [first, ...others] = new Set(mixed.map((item) => ofAnItem(survey, item, answers)));
  const said = others.length > 0 ? eachInItsWay(survey) : first;
  return survey.ask ? `${whatIsPicked(survey.ask, survey)} ${said}` : said;
}

/**
 * @param {SurveyDocument} survey
 * @param {Item} item
 * @param {number} answers
 */
function ofAnItem(survey, item, answers) {
  const { weights, truths } = item;
  const question = questionOf(survey, item);
  if (survey.together && groupOf(survey, item)) return mixedAsOne(mixedIn(survey, item));
  if (question?.statements) return statementIsPicked(howOften(weights[1][1]));
  if (question && isOfNumbers(question)) return numberIsPicked();
  if (!isNamed(item)) return eachInItsWay(survey);
  const [count, other] = changes(item);
  const isAlone = answers === 1 && survey.items.length === 1;
  const all = oneIn(weights[0][1]);
  if (other === undefined && weights.length === 2 && isAlone && all) {
    return say(
      "Your device sends your real answer {kept} times in {all}, and the other one 1 time in {all}. Nobody can see which.",
      { kept: all - 1, all },
    );
  }
  if (other !== undefined) {
    return weights.length === 2 ? twoChances(truths, count, other) : eachInItsWay(survey);
  }
  const values = { answers: eachOf(survey), times: timesIn100(count) };
  return weights.length === 2
    ? say("Your device reverses {answers} {times}.", values)
    : say("Your device replaces {answers} {times} with another one.", values);
}

/** @param {Answer[]} truths @param {number} count @param {number} other */
const twoChances = ([{ text: first }, { text: second }], count, other) =>
  say("“{first}” is reversed {times}, “{second}” {others}.", {
    ...{ first, times: timesIn100(count), second, others: timesIn100(other) },
  });

/** @param {SurveyDocument} survey */
const eachInItsWay = (survey) =>
  say("Below each question you read how chance may change {answers}.", { answers: eachOf(survey) });

/** @param {SurveyDocument} survey */
const eachOf = ({ items }) =>
  items.some(({ epsilon }) => epsilon === null) ? say("each protected answer") : say("each answer");

/** In how many a chance is one; nothing where it is no such share. @param {number} weight */
function oneIn(weight) {
  const all = Math.round(ROW_SUM / weight);
  return all >= SHARES[0] && all <= SHARES[1] && Math.abs(weight * all - ROW_SUM) <= all
    ? all
    : undefined;
}

/** What a report of each tier proves. @type {Record<Tier, () => string>} */
const PROVES = {
  hint: () => say("What is sent is a hint, not proof."),
  "strong hint": () => say("What is sent is a strong hint, not proof."),
  "close to proof": () => say("What is sent comes close to proof."),
};

/**
 * How the answer to one question is sent, and what that proves, as short as it can be said.
 * @param {SurveyDocument} survey
 * @param {Question} question
 * @param {Tier} tier of one answer by itself
 */
export function inShort(survey, question, tier) {
  const [item] = survey.items.filter((one) => one.question === question.id);
  const [count, other] = changes(item);
  const isPlain = isNamed(item) && !isOfNumbers(question) && !question.statements;
  const isReversed = isPlain && item.truths.length === 2 && other === undefined;
  if (isReversed && tier === "hint" && !(survey.together && groupOf(survey, item))) {
    const times = timesIn100(count);
    return offersYesNo(question)
      ? say("Your device reverses each tick {times}, so a tick is only a hint.", { times })
      : say("Your device sends the other answer {times}, so a “{answer}” is only a hint.", {
          ...{ times, answer: item.truths[1].text },
        });
  }
  return `${inTimes(survey, question, item)} ${PROVES[tier]()}`;
}

/** @param {SurveyDocument} survey @param {Question} question @param {Item} item */
function inTimes(survey, question, item) {
  if (survey.together && groupOf(survey, item)) return mixedMark(mixedIn(survey, item));
  if (question.statements) return spinnerMark();
  const [count, other] = changes(item);
  const isTwo = item.truths.length === 2;
  if (!isNamed(item) || isOfNumbers(question) || (other !== undefined && !isTwo)) {
    return say("Chance helps to pick what is sent.");
  }
  if (other !== undefined) return twoChances(item.truths, count, other);
  const times = timesIn100(count);
  return isTwo
    ? say("Your device sends the other answer {times}.", { times })
    : say("Your device sends a different answer {times}.", { times });
}

/** How often all that is sent as one is replaced. @param {SurveyDocument} survey @param {Item} item */
const mixedIn = (survey, item) => howOften(tableOf(survey, item)[0][0]);
