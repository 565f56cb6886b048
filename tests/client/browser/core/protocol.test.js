/** The device checks the ε that it is promised (promise 2), and refuses a false label. */
// promise: noise

import assert from "node:assert/strict";
import { test } from "node:test";

import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { Refusal } from "../../../../client/browser/core/refusal.js";
import { refuses } from "../device.js";
import { freshAsking, freshDocument, surenesses } from "../vectors.js";

test("an honest document passes", () => {
  checkPromise(freshDocument());
  checkPromise({ ...freshDocument(), batch: 1 });
  // Lines are none of a promise's business, nor are the marks that Arabic and Hebrew need.
  checkPromise({ ...freshDocument(), introduction: "One\nTwo \u200fثلاثة\u061c" });
});

test("an option alone is ticked or not", () => {
  const of = (/** @type {number} */ options) => {
    const document = freshDocument();
    const some = document.questions[1];
    some.answers = some.answers.slice(0, options);
    document.items = document.items.filter(
      ({ id, question }) =>
        question !== some.id || some.answers.some(({ code }) => id === `${some.id}.${code}`),
    );
    return document;
  };
  checkPromise(of(3));
  checkPromise(of(1));
  assert.throws(() => checkPromise(of(0)), Refusal);
});

test("a link calls, writes or visits, and never runs", () => {
  const told = (/** @type {unknown} */ link) => () =>
    checkPromise(Object.assign(freshDocument(), { about: { help: "Call", help_link: link } }));
  for (const link of ["tel:+49-30-23125-000", "mailto:a.b+c@example.org", "https://a.b:1/c?d"]) {
    told(link)();
  }
  const others = [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "JavaScript:1",
    "data:text/html,1",
  ];
  const near = ["http://a.b", "https://a.b/ c", "https:a", "tel:", "tel:1\njavascript:1", "//a.b"];
  for (const link of [...others, ...near, "mailto:a@b?bcc=c@d", "", null, 1, {}]) {
    assert.throws(told(link), Refusal, String(link));
  }
  const leads = (/** @type {unknown} */ exit) => () =>
    checkPromise(Object.assign(freshDocument(), { exit }));
  for (const exit of ["none", "https://example.org/", "http://a.b"]) leads(exit)();
  for (const exit of [...others, "https:a", "//a.b", "", null, 1, {}]) {
    assert.throws(leads(exit), Refusal, String(exit));
  }
});

refuses(
  "refused:",
  freshDocument,
  {
    "weights that reveal a millionth more than an item's label": ({ items }) => {
      for (const row of items[0].weights) {
        const own = row.indexOf(Math.max(...row));
        row[own] += 10_000;
        row[1 - own] -= 10_000;
      }
    },
    "an item's label that says a millionth less": ({ items }) => {
      items[0].epsilon = /** @type {number} */ (items[0].epsilon) - 1e-6;
    },
    "items that add up to more than the survey's label": (survey) => {
      survey.epsilon = 2.9;
    },
    "a report that only one truth sends": ({ items }) => {
      items[0].weights = [
        [2 ** 32, 0],
        [2 ** 31, 2 ** 31],
      ];
    },
    "a randomised item without an epsilon": ({ items }) => {
      items[0].epsilon = null;
    },
    "a row that does not sum to 2^32": ({ items }) => {
      items[0].weights[0][0] -= 1;
    },
    "a truth too few": ({ items }) => {
      items[0].truths.pop();
    },
    "a truth without a row": ({ items }) => items[4].weights.pop(),
    "an item of no question": ({ items }) => {
      items[0].question = "nobody";
    },
    "no name": (survey) => (survey.survey = ""),
    "another person's name": (survey) => (survey.survey = "t:7"),
    "a name that is a path": (survey) => (survey.survey = "a/b"),
    ...Object.fromEntries(
      [0, "10", 1.5].map((batch) => [
        `a batch of ${JSON.stringify(batch)} reports`,
        (/** @type {any} */ survey) => (survey.batch = batch),
      ]),
    ),
    "an epsilon of the survey that is no number": (survey) => {
      Object(survey).epsilon = "cheap";
    },
    "two questions of one id, of which one says that it is randomised": (survey) => {
      const { items, questions } = survey;
      items[0].weights = [
        [2 ** 32, 0],
        [0, 2 ** 32],
      ];
      items[0].epsilon = null;
      questions.unshift({ ...questions[0], protection: "direct" });
    },
    "an answer that reads the other way round": ({ items }) => {
      items[0].truths[1].text = "\u202eseY";
    },
    // What nobody reads would make it another question to this device.
    "an item with a text of its own": ({ items }) => (items[0].text = "Read by nobody"),
    "an option with a text of its own": ({ items }) => (items[1].text = "Read by nobody"),
    "an answer with a name of its own": ({ items }) => (items[4].truths[0].text = "Never"),
    "declining in other words": ({ items }) => (items[4].truths[3].text = "No answer"),
    "a yes in other words": ({ items }) => (items[1].truths[1].text = "Yes!"),
    "answers in another order than its question's": ({ items }) => items[2].truths.reverse(),
    "an answer less than its question's": ({ items }) => {
      items[4].truths.splice(1, 1);
      items[4].weights.splice(1, 1);
    },
    "a report in other words": ({ items }) => (items[1].reports[1].text = "Nothing at all"),
    "reports in another order than the answers": ({ items }) => items[1].reports.reverse(),
    "a text that moves a cursor": ({ questions }) => {
      questions[0].hint = "\u001b[8m";
    },
    "a direct item with an epsilon": (survey) => {
      const { items, questions } = survey;
      const direct = questions.findIndex(
        (/** @type {Question} */ { protection }) => protection === "direct",
      );
      const item = items.find(
        (/** @type {Item} */ { question }) => question === questions[direct].id,
      );
      Object(item).epsilon = 0.1;
    },
    "a direct item that is randomised after all": ({ items, questions }) => {
      questions[0].protection = "direct";
      items[0].epsilon = null;
    },
  },
  Refusal,
);

test("an honest document that asks a part of its questions passes", () => {
  checkPromise(freshAsking());
});

refuses(
  "refused: it asks",
  freshAsking,
  {
    "more questions than their cost allows": ({ ask }) => (ask.count = 3),
    "more options than their cost allows": ({ questions }) => (questions[1].ask = 3),
    "all questions after all": (survey) => delete survey.ask,
    "all options after all": ({ questions }) => delete questions[1].ask,
    "a question drawn from that is asked of all": ({ ask }) => ask.questions.pop(),
    "less than it costs": (survey) => (survey.epsilon = 2.999999),
  },
  /reveal more than the survey promises/,
);

refuses(
  "refused, whatever it costs: it asks",
  () => ({ ...freshAsking(), epsilon: 100 }),
  {
    "no question": ({ ask }) => (ask.count = 0),
    "less than no question": ({ ask }) => (ask.count = -1),
    "half a question": ({ ask }) => (ask.count = 0.5),
    "a number of questions that is none": ({ ask }) => (ask.count = "1"),
    "all that there are": ({ ask }) => (ask.count = 4),
    "a question twice": ({ ask }) => (ask.questions[1] = "doped"),
    "a question that there is not": ({ ask }) => (ask.questions[1] = "nobody"),
    "a direct question": ({ ask }) => ask.questions.push("age"),
    "no option": ({ questions }) => (questions[1].ask = 0),
    "nothing of an option": ({ questions }) => (questions[1].ask = null),
    "all options by another name": ({ questions }) => (questions[1].ask = 4),
    "a part of a direct question": ({ questions }) => (questions[5].ask = 1),
    "a question with the name of an option": ({ ask, questions, items }) => {
      ask.questions[3] = questions[3].id = items[8].question = "offered.epo";
    },
  },
  /cannot draw questions as it says|in the form that every survey has/,
);

test("the dearest that can be drawn is what a survey costs", () => {
  const survey = freshAsking();
  // Each option of four at 1.25 in place of 0.5: two asked cost 2.5, in place of 1.
  for (const item of survey.items.slice(1, 5)) {
    item.weights = [
      [3338623936, 956343360],
      [956343360, 3338623936],
    ];
    item.epsilon = 1.250211;
  }
  assert.throws(() => checkPromise(survey), /together/);
  survey.epsilon = 4.500422;
  checkPromise(survey);
  survey.epsilon = 4.500421;
  assert.throws(() => checkPromise(survey), /together/);
});

test("what is said below a question holds for each of its options", () => {
  const survey = freshAsking();
  const weights = structuredClone(survey.items[2].weights);
  // Less is revealed of this one than the question says, and yet nobody reads it.
  weights[0] = weights[1] = [2 ** 31, 2 ** 31];
  survey.items[2].weights = weights;
  assert.throws(() => checkPromise(survey), /not all randomised in the same way/);
});

/** @param {string} called @param {unknown} asked */
const aboutOneFact = (called, asked) => {
  const [{ document }] = surenesses.filter(({ name }) => name === called);
  checkPromise(Object.assign(structuredClone(document), { same_fact: asked }));
};
const THREE = "one fact twice, and another";
const nonsense = [null, 0, "", true, {}, [], ["q0"], ["q0", "q0"], ["q0", "q7"], ["q0", 1], "q0"];
for (const asked of nonsense) {
  test(`refused: ${JSON.stringify(asked)} as questions about the same fact`, () => {
    assert.throws(
      () => aboutOneFact(THREE, asked),
      /about the same fact|in the form that every survey has/,
    );
  });
}

test("one fact is asked by two questions of one protected answer each", () => {
  aboutOneFact(THREE, ["q2", "q1"]);
  assert.throws(() => aboutOneFact("beside a direct question", ["q", "age"]), /the same fact/);
  const survey = freshDocument();
  const two = survey.questions.slice(0, 2).map(({ id }) => id); // an answer, and several options
  assert.throws(() => checkPromise({ ...survey, same_fact: two }), /about the same fact/);
});

test("a way back to a panel is the same for everybody, or the survey is refused", () => {
  const led = (/** @type {unknown} */ panel) =>
    checkPromise(Object.assign(freshDocument(), { about: { panel } }));
  for (const way of ["https://panel.example.org", "https://panel.example.org/done"]) led(way);
  const own = ["https://a.b/?id=7", "https://a.b/#7", "http://a.b/", "tel:1", "mailto:a@b.c", ""];
  for (const way of own) assert.throws(() => led(way), Refusal, way);
});

test("what has another key, type, bound or pattern than all documents have is refused", () => {
  /** @type {Record<string, (survey: any) => void>} */
  const changes = {
    "/": (survey) => (survey.more = 1),
    "/epsilon": (survey) => (survey.epsilon = Infinity),
    "/questions/0": ({ questions }) => delete questions[0].hint,
    "/questions/0/prefer_not_to_say": ({ questions }) => (questions[0].prefer_not_to_say = []),
    "/items/0/epsilon": ({ items }) => (items[0].epsilon = -0),
    "/items/0/weights/1/0": ({ items }) => (items[0].weights[1][0] = -0),
    "/items/0/truths/0/code": ({ items }) => (items[0].truths[0].code = "a/b"),
    "/waves/count": (survey) => (survey.waves = { count: true }),
    "/parent": (survey) => (survey.parent = { code: "K7M4RX", number: 1, run: 1 }),
    "/about/help_link": (survey) => (survey.about = { help: "Us", help_link: "javascript:1" }),
    "/translations/de": (survey) => (survey.translations = { de: { title: "T" } }),
  };
  for (const [place, change] of Object.entries(changes)) {
    const survey = freshDocument();
    change(survey);
    assert.throws(() => checkPromise(survey), {
      message: `its part “${place}” is not in the form that every survey has`,
    });
  }
  for (const id of ["replaceChildren", "g-1", "__proto__", "", "_x", "x".repeat(65), 7]) {
    const written = JSON.stringify(freshDocument()).replaceAll('"doped"', JSON.stringify(id));
    assert.throws(() => checkPromise(JSON.parse(written)), /in the form that every survey has/);
  }
  const own = JSON.parse(JSON.stringify(freshDocument()).replace("{", '{"__proto__":{},'));
  assert.throws(() => checkPromise(own), /in the form that every survey has/);
});

test("no letter has more than four marks upon it", () => {
  const marked = (/** @type {string} */ marks) => () =>
    checkPromise(Object.assign(freshDocument(), { title: `Ye${marks}s` }));
  marked("\u0301\u0323\u0301\u0323")();
  for (const marks of ["\u0333".repeat(5), "\u0333\u0333\u200d\u0333\u0333\u200d\u0333"]) {
    assert.throws(marked(marks), /cannot be seen/);
  }
});
