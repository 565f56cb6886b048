// promise: board, receipt
// Receipts and boards, with Node's own signatures: each promise by an attack that is found.

import assert from "node:assert/strict";
import { constants, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";

import { acknowledged, checkBoardKey, findOnBoard } from "../../../../client/browser/core/board.js";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const { n } = publicKey.export({ format: "jwk" });
const key = Buffer.from(String(n), "base64url").toString("hex");

/** @param {string} text */
const signed = (text, by = privateKey) =>
  sign("sha384", Buffer.from(text), {
    key: by,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: 48,
  }).toString("hex");

const report = { survey: "seen", revision: "ab".repeat(32), id: "07".repeat(16), answers: "01" };
const signature = signed(`deniable receipt\n${JSON.stringify(report)}`);
const receipt = { ...report, signature };
const mine = [report.id, report.revision, report.answers, ""];
const theirs = ["09".repeat(16), report.revision, "00", ""];

/** A server with this last board. @param {string[][]} rows */
function serving(rows, by = privateKey, closed = true, survey = "seen") {
  const board = JSON.stringify({ survey, closed, reports: rows });
  /** @type {string[]} */
  const asked = [];
  const fetch = /** @type {Fetch} */ (
    async (/** @type {string} */ address) => {
      asked.push(address);
      const list = { signatures: ["00", signed(`deniable board\n${board}`, by)] };
      return new Response(address.endsWith("boards.json") ? JSON.stringify(list) : board);
    }
  );
  return { fetch, asked };
}

test("a receipt finds its report, and tells nobody which it is", async () => {
  const { fetch, asked } = serving([mine, theirs]);
  assert.equal(await findOnBoard("/s/seen/", key, receipt, fetch), "found");
  assert.deepEqual(asked, ["/s/seen/boards.json", "/s/seen/boards/2.json"]);
});

test("what an operator alters is found", async () => {
  const found = (/** @type {string[][]} */ rows, by = privateKey, closed = true, of = "seen") =>
    findOnBoard("/s/seen/", key, receipt, serving(rows, by, closed, of).fetch);
  assert.equal(await found([theirs]), "missing");
  assert.equal(await found([theirs], privateKey, false), "waiting");
  assert.equal(await found([[mine[0], mine[1], "00", ""], theirs]), "changed");
  assert.equal(await found([mine, theirs], other), "unsigned");
  // The board of another survey with the same key; and another answer that is counted beside it.
  assert.equal(await found([mine, theirs], privateKey, true, "another"), "unsigned");
  assert.equal(await found([mine, [mine[0], mine[1], "00", ""]]), "changed");
});

test("nobody makes up a receipt", async () => {
  const { fetch, asked } = serving([mine]);
  const forged = [
    {},
    null,
    7,
    report,
    { ...receipt, answers: "00" },
    { ...receipt, signature: signature.toUpperCase() },
    { ...receipt, signature: `${signature}00` },
    { ...receipt, signature: "f".repeat(512) },
    { ...receipt, signature: signed("deniable receipt\n") },
    { ...receipt, signature: signed(`deniable receipt\n${JSON.stringify(report)}`, other) },
    { ...receipt, signature: signed(`deniable board\n${JSON.stringify(report)}`) },
  ];
  for (const one of forged) {
    assert.equal(await findOnBoard("/s/seen/", key, one, fetch), "forged");
  }
  assert.deepEqual(asked, []);
});

test("where there is no board yet, that is said", async () => {
  const fetch = /** @type {Fetch} */ (async () => new Response(JSON.stringify({ signatures: [] })));
  assert.equal(await findOnBoard("/s/seen/", key, receipt, fetch), "none");
  const broken = /** @type {Fetch} */ (async () => new Response("", { status: 503 }));
  await assert.rejects(findOnBoard("/s/seen/", key, receipt, broken));
});

test("what acknowledges a report is noted, and the answer can still be read", async () => {
  const session = /** @type {Session} */ ({});
  const answer = new Response(JSON.stringify({ status: "stored", receipt: signature }));
  const { fetch } = acknowledged(session, async () => answer);
  assert.equal(
    await (await fetch("/s/seen/reports", {})).json().then(({ status }) => status),
    "stored",
  );
  assert.equal(session.receipt, signature);
  const refused = acknowledged(session, async () => new Response("", { status: 410 }));
  assert.equal((await refused.fetch("/s/seen/reports", {})).status, 410);
  assert.equal(session.receipt, undefined);
});

test("a survey that publishes asks nothing directly, and has one key", () => {
  const question = { protection: "randomised" };
  const survey = { publish: key, questions: [question] };
  const check = (/** @type {object} */ changed) =>
    checkBoardKey(
      /** @type {SurveyDocument} */ (/** @type {unknown} */ ({ ...survey, ...changed })),
    );
  check({});
  for (const changed of [
    { publish: "" },
    { publish: true },
    { publish: `${key}0` },
    { publish: `${key.slice(0, -1)}0` },
    { token_keys: [key] },
    { questions: [question, { protection: "direct" }] },
  ]) {
    assert.throws(() => check(changed), /it is not clear what of your report is published/);
  }
});
