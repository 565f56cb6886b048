import assert from "node:assert/strict";
import { test } from "node:test";
import { hasHeading, merge, readPeople, summary } from "../../../../server/desk/static/merge.js";

/** @param {number} number */
const codes = (number) =>
  [
    "code,link",
    ...Array.from({ length: number }, (_, n) => `C${n},https://x/#f&code=C${n}`),
    "",
  ].join("\r\n");

/** @type {[string, boolean, string][]} */
const LISTS = [
  ["ada@x.org\n\nbo@x.org  \n", false, "person,link|ada@x.org,L0|bo@x.org,L1"],
  ["\ufeffname;mail\r\nBo;b@x\r\nAd;a@x", true, "name;mail;link|Bo;b@x;L0|Ad;a@x;L1"],
  ['name,mail\n"Lovelace, Ada",a@x', true, 'name,mail,link|"Lovelace, Ada",a@x,L0'],
  ["Ada\ta@x", false, "column1\tcolumn2\tlink|Ada\ta@x\tL0"],
];

test("each line keeps its words and gets a link of its own", () => {
  for (const [text, heading, wanted] of LISTS) {
    const list = readPeople(text, heading);
    const written = merge(list, codes(list.people.length)).trimEnd();
    assert.equal(written.replaceAll(/https:..x.#f&code=C/g, "L").replaceAll("\r\n", "|"), wanted);
  }
});

test("what cannot be a list of people is refused, with its line", () => {
  /** @type {[string, boolean, RegExp][]} */
  const wrong = [
    ["", false, /found none/],
    ["name\n", true, /found none/],
    ["a\nb\n\na", false, /line 1 again in line 4/],
    ['a\n"b\nc"', false, /quotation mark in line 2/],
  ];
  for (const [text, heading, why] of wrong) assert.throws(() => readPeople(text, heading), why);
  assert.throws(() => merge(readPeople("a\nb", false), codes(3)), /Expected 2 links, found 3/);
});

test("200,000 people are merged", () => {
  const many = Array.from({ length: 200_000 }, (_, n) => `p${n}@x.org`).join("\n");
  const written = merge(readPeople(many, false), codes(200_000));
  assert.equal(written.split("\r\n").length, 200_002);
});

test("a first line that names the columns is told from a person", () => {
  /** @type {[string, boolean][]} */
  const lists = [
    ["name,email,ward\nNurse 1,n1@x.org,A\nNurse 2,n2@x.org,B", true],
    ["\ufeffNachname;Kennung\r\nBo;7\r\nAd;8", true],
    ["Name\nAda\nBo", true],
    ["E-mail\tFirst name\nada@x.org\tAda", true],
    ['"Name","Mail"\n"Lovelace, Ada",a@x', true],
    ["ada@x.org\nbo@x.org", false],
    ["Ada\nBo", false],
    ["Ada,a@x\nBo,b@x", false],
    ["Ada,Room 1\nBo,Room 2", false],
    ["name,email", false],
    ["", false],
  ];
  for (const [text, wanted] of lists) assert.equal(hasHeading(text), wanted, text);
});

test("who gets a link is said before there is one", () => {
  const list = readPeople("name,email\nNurse 1,n1@x\nNurse 2,n2@x", true);
  assert.equal(summary(list, true), "2 people; first: Nurse 1, n1@x. Columns: name, email.");
  assert.equal(summary(readPeople("ada@x", false), false), "1 person; first: ada@x.");
});
