/**
 * How sure somebody could get of what is true of a person: from one answer by itself, and if all
 * answers point to the same thing. Every part of the page asks here.
 * `deniable/text/sureness.py` says the same, by the same test vectors.
 */

import { add, dearest } from "../core/protocol.js";
import { keepsNoise } from "../core/questions.js";
import { groupOf, tableOf } from "../core/together.js";
import { randomisation } from "./randomisation.js";
import { atMost, COLOURS, colourOfAll, inHundred, inHundreds, NOTHING } from "./odds.js";
import { percent, ratioOf, tierOf, upTo } from "./odds.js";
import { say } from "./say.js";
import { ifTheyChange, ifTheyChangeInShort, overWaves } from "./waves.js";

/**
 * How sure somebody can get who thought it 50:50, in 100, where 100 is more than 99: of one answer by
 * itself, of all if they stay the same, and of waves whatever changes. Then the bounds in words, that
 * of one answer first, what later waves tell, and the same in a sentence before the first question.
 * @param {SurveyDocument} survey nothing where nothing is randomised
 * @param {Memory["wave"]} [here] which wave is on, and what this device has of it
 */
export function sureness(survey, here) {
  if (survey.items.every(({ epsilon }) => epsilon === null)) return undefined;
  const { one, all } = inHundreds(survey, (item) => ratioOf(behindAll(survey, item)));
  const answers = answersOf(survey);
  const waves = keepsNoise(survey) && overWaves(survey, one, all, here);
  const tier = tierOf(one);
  const sent = randomisation(survey, answers);
  const again = ofOneFact(survey);
  const isMore = all > one && (again?.times ?? 0) < answers;
  const bounds = [
    { text: `${sent} ${fromOne(one, answers > 1)}`, colour: COLOURS[tier] },
    ...(isMore ? [{ text: fromAll(all, answers), colour: colourOfAll(all) }] : []),
    ...(again ? [again] : []),
  ];
  const changes = waves ? ifTheyChange(waves) : [];
  const { changing } = waves || {};
  const worst = isMore && tier === "hint" ? colourOfAll(all) : COLOURS[tier];
  const inShort = [
    { text: isMore ? fromOneAndAll(one, all) : fromOneAlone(one), colour: worst },
    ...(again ? [again] : []),
    ...(waves ? ifTheyChangeInShort(waves) : []),
  ];
  return { tier, one, all, changing, bounds, changes, inShort };
}

/** The same of one answer before the first question, in a sentence. @param {number} one */
const fromOneAlone = (one) =>
  say("Someone who sees only what is sent: {sure} of your answer.", { sure: upTo(one) });

/** @param {number} one @param {number} all */
const fromOneAndAll = (one, all) =>
  say("Someone who sees only what is sent: {sure} from one answer, {all} from all.", {
    sure: upTo(one),
    all: percent(all),
  });

/**
 * The channel behind all reports ever of an item, while its answer stays the same.
 * @param {SurveyDocument} survey
 * @param {Item} item
 */
const behindAll = (survey, item) =>
  (keepsNoise(survey) && item.permanent) ||
  (survey.together ? tableOf(survey, item) : item.weights);

/**
 * What answers tell that ask one fact again, with fresh chance: a warning is red.
 * @param {SurveyDocument} survey
 */
function ofOneFact(survey) {
  const { same_fact: ids = [] } = survey;
  const timesOf = (/** @type {Item} */ item) => {
    const { questions } = (survey.together && groupOf(survey, item)) ?? {
      questions: [item.question],
    };
    return questions.filter((id) => ids.includes(id)).length;
  };
  const times = dearest(survey, timesOf, add);
  const { one, all } = inHundreds(survey, (item) =>
    timesOf(item) > 0 ? ratioOf(behindAll(survey, item)) : NOTHING,
  );
  if (times < 2 || all <= one) return undefined;
  const text = say(
    "{count} answers are about the same fact: together they could make someone {sure}.",
    { count: times, sure: upTo(all) },
  );
  return { times, text, colour: colourOfAll(all, "red") };
}

/** How many protected answers one person gives at most. @param {SurveyDocument} survey */
const answersOf = (survey) =>
  dearest(
    survey,
    (item) =>
      item.epsilon === null
        ? 0
        : ((survey.together && groupOf(survey, item)?.questions.length) ?? 1),
    add,
  );

/** From one answer by itself. @param {number} one @param {boolean} amongOthers */
function fromOne(one, amongOthers) {
  const found = { most: atMost(one), tier: inWordsOf(tierOf(one)) };
  return amongOthers
    ? say(
        "From one answer by itself, someone who thought it was 50:50 can be {most}: {tier}.",
        found,
      )
    : say("Someone who thought it was 50:50 can be {most}: {tier}.", found);
}

/** @param {Tier} tier */
const inWordsOf = (tier) =>
  ({
    hint: say("a hint, not proof"),
    "strong hint": say("a strong hint, not proof"),
    "close to proof": say("close to proof"),
  })[tier];

/** @param {number} all @param {number} count */
function fromAll(all, count) {
  const sure = upTo(all);
  return count === 2
    ? say("If both answers point to the same thing, together they could make someone {sure}.", {
        sure,
      })
    : say(
        "If all {count} answers point to the same thing, together they could make someone {sure}.",
        { count, sure },
      );
}

/**
 * How much the answer to one question tells by itself.
 * @param {SurveyDocument} survey
 * @param {Question} question
 */
export function tierOfOne(survey, { id }) {
  const [item] = survey.items.filter((one) => one.question === id);
  return tierOf(inHundred(ratioOf(behindAll(survey, item))));
}

/**
 * What anybody could learn of the answers: from one, from all together, and beside the direct ones.
 * @param {SurveyDocument} survey
 * @returns {string[]}
 */
export function implication(survey) {
  const found = sureness(survey);
  if (!found) {
    return [
      say(
        "Every answer in this survey is sent as you give it. Anyone who sees what is stored can read your answers.",
      ),
    ];
  }
  const isSome = survey.items.some(({ epsilon }) => epsilon === null);
  return [
    ...[...found.bounds, ...found.changes].map(({ text }) => text),
    ...(isSome ? [besideThem()] : []),
  ];
}

/** What answers tell that are not protected. */
export const besideThem = () =>
  say("Unprotected answers are sent as you give them, and may help someone guess.");
