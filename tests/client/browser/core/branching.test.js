/** Who is asked what, what is sent of the rest, and the documents that would give an answer away. */
// promise: branches

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  applies,
  checkBranches,
  isShownToAll,
  offered,
  skippedTruth,
} from "../../../../client/browser/core/branching.js";
import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { randomise } from "../../../../client/browser/core/report.js";
import { isImpossible } from "../../../../client/browser/page/followup.js";
import { speak } from "../../../../client/browser/page/say.js";
import { inSpokenLanguage } from "../../../../client/browser/page/translation.js";
import { refuses } from "../device.js";
import { branching, freshBranching, freshDocument } from "../vectors.js";

const survey = freshBranching();
const [year, repeated, helped, help, assistant, exams] = survey.questions;

test("an honest document with branches passes", () => {
  checkPromise(freshBranching());
  checkBranches(freshDocument());
});

const hidden = /** @type {SurveyDocument} */ ({ ...survey, branch: "hidden" });
const both = { ...exams, ask_if: [...(exams.ask_if ?? []), ...(repeated.ask_if ?? [])] };
const FIRST_AND_THIRD = [
  [1, 1],
  [0, 1],
  [1, 0],
];

test("a hidden question applies if all that it needs was answered, and only then", () => {
  for (const { given } of branching.cases.slice(0, -1)) {
    const truths = given.map((truth) => truth ?? undefined);
    for (const question of survey.questions) {
      const place = survey.items.findIndex((item) => item.question === question.id);
      assert.equal(applies(hidden, question, truths), given[place] !== null, question.id);
      assert.equal(isShownToAll(hidden, question), false);
    }
  }
  assert.equal(applies(hidden, repeated, []), false);
  assert.equal(applies(hidden, year, []), true);
  assert.deepEqual(
    FIRST_AND_THIRD.map(([first, third]) => applies(hidden, both, [first, undefined, third])),
    [true, false, false],
  );
});

test("a follow-up is shown whatever was answered to what chance protects, or nothing yet", () => {
  for (const question of [help, assistant, exams]) {
    assert.equal(isShownToAll(survey, question), true);
    for (const truth of [-1, 0, 1, 2]) {
      assert.equal(applies(survey, question, Array(7).fill(truth)), true);
    }
    assert.equal(applies(survey, question, []), false);
  }
  assert.equal(isShownToAll(survey, repeated), false);
  assert.equal(applies(survey, repeated, [0]), false);
  // A direct answer decides beside it.
  assert.deepEqual(
    FIRST_AND_THIRD.map(([first, third]) => applies(survey, both, [first, undefined, third])),
    [true, false, true],
  );
});

test("answers are impossible where a follow-up says the opposite of what it follows from", () => {
  const found = (/** @type {number} */ needed, /** @type {number} */ said) =>
    isImpossible(survey, exams, 6, [0, undefined, needed, 0, 0, 0, said]);
  const cases = [0, 1, 2, -1].map((needed) => [0, 4, 5, -1].map((said) => found(needed, said)));
  assert.deepEqual(cases, [
    [true, true, false, false],
    [false, false, true, false],
    [false, false, false, false],
    [false, false, false, false],
  ]);
});

test("the shared answers and words give the shared bytes", () => {
  for (const { given, words, answers } of branching.cases) {
    const truths = survey.items.map((item, place) => given[place] ?? skippedTruth(item));
    const bytes = randomise(survey, truths, Uint32Array.from(words));
    assert.equal(Buffer.from(bytes).toString("hex"), answers);
  }
});

test("direct answers are those that the server takes, and no others", () => {
  /** @type {number[][]} */
  const found = [];
  for (const [first] of survey.items[0].truths.entries()) {
    const skipped = skippedTruth(survey.items[1]);
    if (!applies(survey, repeated, [first])) found.push([first, skipped]);
    else
      for (const [truth] of offered(repeated, survey.items[1]).entries())
        found.push([first, truth]);
  }
  assert.deepEqual(found, branching.direct);
});

test("that it does not apply cannot be ticked, unless the researcher offers it", () => {
  const codes = (/** @type {Question} */ question, /** @type {number} */ place) =>
    offered(question, survey.items[place]).map(({ code }) => code);
  assert.deepEqual(codes(year, 0), ["first", "second", "later"]);
  assert.deepEqual(codes(repeated, 1), ["no", "yes"]);
  assert.deepEqual(codes(helped, 2), ["no", "yes", "prefer_not_to_say"]);
  assert.deepEqual(codes(help, 3), ["no", "yes"]);
  assert.deepEqual(codes(exams, 6), ["1", "2", "3", "4", "5"]);
  const own = { code: "does_not_apply", text: "It was no exam" };
  const single = { ...assistant, answers: [own, ...assistant.answers] };
  const item = { ...survey.items[5], truths: [own, ...survey.items[5].truths.slice(0, 2)] };
  assert.deepEqual(offered(single, item), item.truths);
  assert.equal(skippedTruth(item), 0);
  // An option of that name is none of its own answers, which are no and yes.
  const many = { ...help, answers: [own, ...help.answers] };
  assert.deepEqual(codes(many, 3), ["no", "yes"]);
});

refuses(
  "refused: a question needs",
  () => ({ ...freshBranching(), epsilon: 100 }),
  {
    "a direct question that needs a randomised one": ({ questions }) => {
      [questions[1], questions[2]] = [questions[2], questions[1]];
      questions[2].ask_if = [{ item: 2, answers: [1] }];
    },
    "the same beside a direct one": ({ questions }) => {
      [questions[1], questions[2]] = [questions[2], questions[1]];
      questions[2].ask_if.push({ item: 2, answers: [1] });
    },
    "a later question": ({ questions }) => (questions[3].ask_if = [{ item: 5, answers: [1] }]),
    itself: ({ questions }) => (questions[3].ask_if = [{ item: 3, answers: [1] }]),
    "an item that there is not": ({ questions }) => (questions[3].ask_if[0].item = 7),
    "an item before the first": ({ questions }) => (questions[3].ask_if[0].item = -1),
    "answers that are no list": ({ questions }) => (questions[3].ask_if[0].answers = 1),
    "an answer of its own that it does not have": ({ items }) =>
      items[4].truths.forEach((/** @type {Answer} */ truth) => (truth.code += "_")),
    "a fixed order, and comes in a random one": (spoilt) => (spoilt.order = "random"),
    "what chance draws": (spoilt) =>
      (spoilt.ask = { count: 1, questions: ["helped", "assistant"] }),
    "an answer, and is drawn itself": ({ questions }) => {
      questions[3].ask = 1;
      delete questions[4].ask_if;
    },
    "an answer that chance may not ask for": ({ questions }) => {
      questions[3].ask = 1;
      delete questions[3].ask_if;
    },
    "a direct one with the name of a randomised one before it": ({ questions }) => {
      const direct = { ...questions[0], id: "helped" };
      [questions[1], questions[2]] = [questions[2], questions[1]];
      questions.splice(2, 0, direct);
      questions[3].ask_if = [{ item: 2, answers: [1] }];
    },
    "what it needs by the name of a direct one": ({ questions }) => {
      questions.push({
        ...questions[1],
        protection: "randomised",
        ask_if: [{ item: 2, answers: [1] }],
      });
      delete questions[1].ask_if;
    },
    "one of two questions of the same name": ({ questions, items }) => {
      questions[5].id = items[6].question = "help";
    },
  },
  /^Error: (its part “.+” is not in the form that every survey has|the survey cannot draw questions as it says|it is not clear who is asked “.+”, or asking it would give an answer away|“.+”: (it does not belong to exactly one question|the answers do not match .*))$/,
);

test("a direct question may need a direct one, and a randomised one either", () => {
  const mixed = freshBranching();
  mixed.questions[3].ask_if?.push({ item: 0, answers: [1] });
  checkPromise(mixed);
});

test("that it does not apply is said in the language that is read", () => {
  speak(() => "Trifft nicht zu", "de");
  const told = inSpokenLanguage(freshBranching());
  assert.equal(told.items[1].truths[2].text, "Trifft nicht zu");
  assert.equal(told.items[3].truths[2].text, "Trifft nicht zu");
  assert.equal(told.items[6].reports[5].text, "Trifft nicht zu");
  // Unless the researcher has called it something.
  const own = freshBranching();
  own.questions[5].answers[0] = { code: "does_not_apply", text: "In none" };
  own.items[6].truths[0] = { code: "does_not_apply", text: "In none" };
  assert.equal(inSpokenLanguage(own).items[6].truths[0].text, "In none");
  speak(() => undefined, "en");
});
