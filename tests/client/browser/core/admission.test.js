// promise: silence, signing-keys, our-word
// A code becomes a token: what is kept, what is asked again, and what is refused.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { admissionFor, checkKeys, fetchToken } from "../../../../client/browser/core/admission.js";
import { deviceRandomness } from "../../../../client/browser/core/chance.js";
import { openMemory } from "../../../../client/browser/core/memory.js";
import { checkPromise } from "../../../../client/browser/core/protocol.js";
import { Refusal } from "../../../../client/browser/core/refusal.js";
import { storageOfPage } from "../../../../client/browser/core/trial.js";
import { freshDocument, raised, weakKeys } from "../vectors.js";

const keys = readFileSync(new URL("../../../vectors/blind-keys.json", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const { p, q } = JSON.parse(line);
    const [one, other] = [BigInt(`0x${p}`), BigInt(`0x${q}`)];
    return { modulus: one * other, order: (one - 1n) * (other - 1n) };
  });
const PUBLIC = keys.map(({ modulus }) => modulus.toString(16));
const ID = "00112233445566778899aabbccddeeff";

/** @param {string} blinded @param {number} place of the key */
function sign(blinded, place) {
  const { modulus, order } = keys[place];
  // The inverse of 65537, by Euler: its own order is a power of the order's, so by trial of k.
  let k = 1n;
  while ((k * order + 1n) % 65537n !== 0n) k += 1n;
  const power = (k * order + 1n) / 65537n;
  return raised(BigInt(`0x${blinded}`), power, modulus)
    .toString(16)
    .padStart(512, "0");
}

/** @param {Partial<SurveyDocument>} [more] @param {Storage} [storage] */
function session(more = {}, storage = storageOfPage()) {
  const survey = { ...freshDocument(), revision: "", token_keys: [PUBLIC[0]], ...more };
  const memory = openMemory(storage, survey, 1);
  const made = { survey, memory, address: "/s/x/", randomness: deviceRandomness };
  return /** @type {Session} */ (/** @type {unknown} */ (made));
}

/** @param {number} status @param {(asked: any) => unknown} [body] */
function server(status, body = () => ({})) {
  /** @type {any[]} */
  const asked = [];
  /** @type {Fetch} */
  const fetch = async (_address, { body: sent }) => {
    asked.push(JSON.parse(String(sent)));
    const [last] = asked.slice(-1);
    return new Response(JSON.stringify({ about: last.blinded, ...Object(body(last)) }), { status });
  };
  return { asked, fetch };
}

test("a code becomes a token, and what hid the id is forgotten", async () => {
  const one = session();
  one.admission = admissionFor(one, ID);
  const { asked, fetch } = server(200, ({ blinded }) => ({ signed: sign(blinded, 0) }));
  assert.equal(await fetchToken(one, "BCDF", fetch), "admitted");
  const mark = createHash("sha256").update(PUBLIC[0]).digest("hex").slice(0, 32);
  assert.deepEqual(Object.keys(asked[0]).sort(), ["blinded", "code", "key"]);
  assert.equal(asked[0].key, mark);
  // Neither the id nor the token was in what was sent.
  const { admission: kept } = one.memory.kept();
  assert.deepEqual(Object.keys(kept ?? {}), ["key", "id", "token"]);
  assert.equal(kept?.token?.length, 64 + 512);
  assert.ok(!JSON.stringify(asked).includes(ID));
  assert.ok(!JSON.stringify(asked).includes(kept?.token?.slice(0, 64) ?? ""));
  assert.ok(!JSON.stringify(kept).includes(asked[0].blinded));
  // It is there when the page is opened again, under its own id, and is asked for no more.
  assert.deepEqual(admissionFor(one, "ff".repeat(16)), one.admission);
  assert.equal(await fetchToken(one, "BCDF", fetch), "admitted");
  assert.equal(asked.length, 1);
});

test("where no answer came, a page that is opened again asks for the very same", async () => {
  const storage = storageOfPage();
  const first = session({}, storage);
  first.admission = admissionFor(first, ID);
  const lost = server(500);
  assert.equal(await fetchToken(first, "BCDF", lost.fetch), "unreachable");
  const again = session({}, storage);
  again.admission = admissionFor(again, "ff".repeat(16));
  const { asked, fetch } = server(200, ({ blinded }) => ({ signed: sign(blinded, 0) }));
  assert.equal(await fetchToken(again, "BCDF", fetch), "admitted");
  assert.deepEqual(asked, lost.asked);
  assert.equal(again.admission.id, ID);
});

test("each refusal is told by its name, and keeps what would be asked again", async () => {
  const told = { 401: "unknown", 403: "used", 409: "changed", 410: "closed", 429: "unreachable" };
  for (const [status, became] of Object.entries(told)) {
    const one = session();
    one.admission = admissionFor(one, ID);
    assert.equal(await fetchToken(one, "BCDF", server(Number(status)).fetch), became);
    assert.deepEqual(one.memory.kept().admission, one.admission);
  }
});

test("a signature by a key of somebody's own makes no token", async () => {
  const one = session();
  one.admission = admissionFor(one, ID);
  for (const body of [
    (/** @type {any} */ { blinded }) => ({ signed: sign(blinded, 1) }),
    () => ({ signed: "00" }),
    () => ({}),
  ]) {
    await assert.rejects(fetchToken(one, "BCDF", server(200, body).fetch), Refusal);
    assert.equal(one.memory.kept().admission?.token, undefined);
  }
});

test("a token of another key, or for another id than a report has, is not used", () => {
  const one = session();
  one.admission = admissionFor(one, ID);
  assert.equal(admissionFor(one, "ff".repeat(16)).id, ID);
  // A report that is made has its id.
  assert.equal(admissionFor(one, "ff".repeat(16), true).id, "ff".repeat(16));
  one.survey.token_keys = [PUBLIC[1]];
  assert.notEqual(admissionFor(one, ID).key, one.admission.key);
});

test("each wave has a token of its own, by the key of that wave", async () => {
  const storage = storageOfPage();
  const waves = { count: 2, once: 1, changing: null };
  const marks = [1, 2].map((number) => {
    const one = session({ token_keys: PUBLIC.slice(0, 2), waves }, storage);
    one.memory.wave = { number, late: false };
    one.admission = admissionFor(one, ID);
    one.memory.write({ admission: one.admission });
    return one.admission.key;
  });
  const hash = (/** @type {string} */ key) => createHash("sha256").update(key).digest("hex");
  assert.deepEqual(marks, [hash(PUBLIC[0]).slice(0, 32), hash(PUBLIC[1]).slice(0, 32)]);
});

test("a survey has a key for each wave, of the right form, or nothing is asked", () => {
  const document = (/** @type {unknown} */ token_keys) =>
    /** @type {SurveyDocument} */ ({ ...freshDocument(), revision: "", token_keys });
  checkPromise(document([PUBLIC[0]]));
  const waves = { count: 2, once: 1, changing: null };
  checkKeys({ ...document(PUBLIC.slice(0, 2)), waves });
  for (const wrong of [PUBLIC.slice(0, 1), PUBLIC.slice(0, 3), [PUBLIC[0], PUBLIC[0]]]) {
    assert.throws(() => checkKeys({ ...document(wrong), waves }), Refusal);
  }
  const even = `${PUBLIC[0].slice(0, -1)}0`;
  const weak = [weakKeys[1].key];
  for (const wrong of [
    [],
    ["00"],
    [even],
    weak,
    [PUBLIC[0].toUpperCase()],
    PUBLIC[0],
    {},
    1,
    [1],
  ]) {
    assert.throws(() => checkPromise(document(wrong)), Refusal, JSON.stringify(wrong));
  }
});

test("what another program says of a code counts for nothing, and the very same is asked again", async () => {
  for (const status of [200, 401, 403, 409, 410]) {
    for (const body of ["<html><h1>Blocked", "", '{"about":"/s/x/"}']) {
      const one = session();
      one.admission = admissionFor(one, ID);
      const stranger = async () => new Response(body, { status });
      assert.equal(await fetchToken(one, "BCDF", stranger), "unreachable");
      const { asked, fetch } = server(200, ({ blinded }) => ({ signed: sign(blinded, 0) }));
      assert.equal(await fetchToken(one, "BCDF", fetch), "admitted");
      assert.equal(asked.length, 1);
    }
  }
});
