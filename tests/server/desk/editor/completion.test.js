// What the desk's editor offers at a place of a survey file; "|" stands where the caret is.
import assert from "node:assert/strict";
import { test } from "node:test";

import { complete } from "../../../../server/desk/static/completion.js";

// As `deniable schema` has it, in small.
const number = { type: ["number", "string"] };
const SCHEMA = {
  properties: {
    version: { const: 1 },
    title: {
      anyOf: [{ type: "string" }, { type: "object", propertyNames: { enum: ["de", "en"] } }],
    },
    comprehension: { anyOf: [{ type: "boolean" }, { type: "null" }] },
    contact: { anyOf: [{ type: "string" }, { properties: { text: {}, link: {} } }] },
    questions: {
      type: "array",
      items: {
        properties: {
          id: {},
          text: {},
          type: { enum: ["single", "multiple", "number"] },
          min: number,
          design: { anyOf: [{ propertyNames: { enum: ["warner", "k_ary"] } }, { type: "null" }] },
        },
      },
    },
  },
};

/** @param {string} marked */
function offered(marked) {
  const position = marked.indexOf("|");
  const text = marked.replace("|", "");
  const found = complete(SCHEMA, text, position);
  if (found === null) return null;
  return { typed: text.slice(found.from, position), labels: found.options.map((one) => one.label) };
}

const TOP = ["version", "title", "comprehension", "contact", "questions"];
const QUESTION = ["id", "text", "type", "min", "design"];

/** @type {[string, string, string, string[]][]} */
const CASES = [
  ["all keys of an empty file", "|", "", TOP],
  ["a key that is being typed", "version: 1\nti|", "ti", TOP.slice(1)],
  ["keys that are not there yet, above or below", "|\ntitle: T\nversion: 1", "", TOP.slice(2)],
  ["values of a key", "comprehension: t|", "t", ["true", "false"]],
  ["what a constant is", "version: |", "", ["1"]],
  ["keys of an item", "questions:\n  - |", "", QUESTION],
  ["keys of an item further down", "questions:\n  - id: a\n    ty|", "ty", QUESTION.slice(1)],
  ["the same where a list is not indented", "questions:\n- id: a\n  |", "", QUESTION.slice(1)],
  [
    "not those of the item before",
    "questions:\n  - id: a\n    type: single\n\n    # b\n  - |\n    text: b",
    "",
    ["id", "type", "min", "design"],
  ],
  [
    "values in an item",
    "questions:\n  - id: a\n    type: s|",
    "s",
    ["single", "multiple", "number"],
  ],
  ["keys that the item after has", "questions:\n  - |\n  - id: b\n    text: b", "", QUESTION],
  ["keys in braces", "questions:\n  - { id: a, ty|", "ty", QUESTION.slice(1)],
  ["values in braces", "questions:\n  - {id: a, type: |", "", ["single", "multiple", "number"]],
  ["keys in the braces of a key", "title: T\ncontact: { |", "", ["text", "link"]],
  ["keys below a key", "contact:\n  te|", "te", ["text", "link"]],
  [
    "names that keys may have",
    "questions:\n  - id: a\n    design:\n      |",
    "",
    ["warner", "k_ary"],
  ],
  ["languages in braces", 'title: { "en": "a, {b", |', "", ["de", "en"]],
  ["top keys after a list", "questions:\n  - id: a\n    text: b\n|", "", TOP.slice(0, 4)],
];

for (const [what, marked, typed, labels] of CASES) {
  test(`offers ${what}`, () => assert.deepEqual(offered(marked), { typed, labels }));
}

for (const marked of [
  "# ver|",
  "title: My surv|",
  "title: a b|",
  "questions:\n  - id: a\n    text: What|",
  "nothing:\n  |",
  "contact: { text: Ask | }",
]) {
  test(`offers nothing in ${JSON.stringify(marked)}`, () => assert.equal(offered(marked), null));
}

test("a key is completed with its colon, a value as it is", () => {
  assert.equal(complete(SCHEMA, "t", 1)?.options[0].apply, "version: ");
  assert.equal(complete(SCHEMA, "version: ", 9)?.options[0].apply, undefined);
});

test("a large file is read in a moment", () => {
  const text = "questions:\n" + "  - id: a\n    text: b\n".repeat(5_000);
  const start = performance.now();
  assert.notEqual(complete(SCHEMA, `${text}  - `, text.length + 4), null);
  assert.ok(performance.now() - start < 500);
});

test("a key and a family come with what they mean", () => {
  const schema = {
    properties: {
      batch: { description: "How many." },
      family: { anyOf: [{ enum: ["best", "k_ary"], enumDescriptions: ["The best.", "Any."] }] },
    },
  };
  assert.deepEqual(complete(schema, "", 0)?.options[0], {
    label: "batch",
    apply: "batch: ",
    info: "How many.",
  });
  const families = complete(schema, "family: ", 8)?.options;
  assert.deepEqual(families, [
    { label: "best", info: "The best." },
    { label: "k_ary", info: "Any." },
  ]);
});
