/** What the extension reads in a policy, and what it lets nobody get past it. */
// promise: extension
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import { judge, policiesOf } from "../../extension/policy.js";

const hash = (/** @type {string} */ letter) => `sha256-${letter.repeat(43)}=`;
const PINNED = {
  release: "1",
  hashes: { "/client/main.js": hash("m"), "/client/leave.js": hash("l") },
  any_hashes: [hash("s")],
};
const HONEST =
  `default-src 'none'; script-src '${hash("m")}' '${hash("l")}'; style-src '${hash("s")}'; ` +
  "connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; object-src 'none'";

/** Which rules do not hold for these policies, each in a header of its own. */
function broken(/** @type {string[]} */ ...policies) {
  const headers = policies.map((value) => ({ name: "Content-Security-Policy", value }));
  const rules = Object.entries(judge(headers, PINNED));
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}

const ALL = ["scripts", "styles", "fetched", "connections", "forms", "base"];

test("the policy of the release holds, and so does a stricter one", () => {
  assert.deepEqual(broken(HONEST), []);
  assert.deepEqual(broken(`${HONEST}; sandbox allow-scripts; frame-ancestors 'none'`), []);
  assert.deepEqual(broken("default-src 'none'; form-action 'none'; base-uri 'none'"), []);
  assert.deepEqual(broken("default-src; form-action; base-uri"), []);
});

test("without a policy nothing holds", () => {
  assert.deepEqual(broken(), ALL);
  assert.deepEqual(broken(""), ALL);
  const watching = [{ name: "Content-Security-Policy-Report-Only", value: HONEST }];
  assert.ok(Object.values(judge(watching, PINNED)).every((holds) => !holds));
  // Bytes that are no text come without a value.
  assert.ok(!judge([{ name: "content-security-policy" }], PINNED).scripts);
});

/** Something put into the release's policy, and the rule that it breaks. */
const ADDED = {
  scripts: [
    ["script-src ", `script-src '${hash("x")}' `],
    ["script-src ", `script-src '${hash("s")}' `], // a style's
    ["script-src ", `script-src ${hash("m")} `], // without quotes it is a host
    ["script-src ", "script-src 'self' "],
    ["script-src ", "script-src https://cdn.example "],
    ["script-src ", "script-src 'unsafe-inline' "],
    ["script-src ", "script-src 'unsafe-hashes' "],
    ["script-src ", "script-src 'unsafe-eval' "],
    ["script-src ", "script-src 'wasm-unsafe-eval' "],
    ["script-src ", "script-src 'strict-dynamic' "],
    ["script-src ", "script-src 'nonce-abc' "],
    ["script-src ", "script-src 'inline-speculation-rules' "],
    ["script-src ", "script-src data: "],
    ["script-src ", "script-src blob: "],
    ["script-src ", "script-src-elem 'self'; script-src "],
    ["script-src ", "script-src-attr 'unsafe-inline'; script-src "],
    ["script-src ", "script-src * ; script-src "], // the first one counts
    ["script-src ", "SCRIPT-SRC * ; script-src "],
    // No space for a browser: another directive.
    ["default-src 'none'; script-src ", "default-src 'self'; script-src\u00a0"],
    ["default-src 'none'; script-src ", "default-src 'self'; script-sources "],
    ["default-src", "worker-src 'self'; default-src"],
    ["default-src", "worker-src data:; default-src"],
    ["default-src", "child-src blob:; default-src"],
  ],
  styles: [
    ["style-src ", "style-src 'self' "],
    ["style-src ", "style-src 'unsafe-inline' "],
    ["style-src ", `style-src '${hash("m")}' `],
    ["style-src ", "style-src-attr 'unsafe-inline'; style-src "],
    ["style-src ", "style-src-elem *; style-src "],
  ],
  fetched: [
    ["img-src data:", "img-src 'self'"],
    ["img-src data:", "img-src data: blob:"],
    ["img-src data:", "img-src *"],
    ["img-src data:", "img-src data:; font-src https://fonts.example"],
    ["img-src data:", "img-src data:; media-src 'self'"],
    ["img-src data:", "img-src data:; frame-src 'self'"],
    ["img-src data:", "img-src data:; fenced-frame-src https:"],
    ["img-src data:", "img-src data:; manifest-src 'self'"],
    ["object-src 'none'", "object-src 'self'"],
  ],
  connections: [
    ["connect-src 'self'", "connect-src *"],
    ["connect-src 'self'", "connect-src 'self' https://other.example"],
    ["connect-src 'self'", "connect-src 'self' wss:"],
    ["connect-src 'self'", "connect-src 'self'; report-uri https://other.example/"],
    ["connect-src 'self'", "connect-src 'self'; report-to other"],
  ],
  forms: [
    ["form-action 'none'", "form-action 'self'"],
    ["form-action 'none'", "form-action *"],
    ["form-action 'none'; ", ""],
  ],
  base: [
    ["base-uri 'none'", "base-uri 'self'"],
    ["base-uri 'none'; ", ""],
  ],
};

for (const [rule, changes] of Object.entries(ADDED)) {
  for (const [text, other] of changes) {
    test(`${rule} do not hold with ${other}`, () => {
      assert.ok(HONEST.includes(text));
      assert.ok(broken(HONEST.replace(text, other)).includes(rule));
    });
  }
}

test("each policy is enforced by itself, so one that is strict is enough", () => {
  assert.deepEqual(broken("default-src *", HONEST), []);
  assert.deepEqual(broken(`default-src *, ${HONEST}`), []);
  assert.deepEqual(broken(HONEST, "script-src *; report-uri /told"), ["connections"]);
  // What is strict in one of two ways in each of two policies is strict in both.
  const [scripts, ...others] = HONEST.split("; ").slice(1);
  assert.deepEqual(broken(`default-src 'none'; ${others.join("; ")}`, scripts), []);
});

test("names are read in any case, and of two directives the first", () => {
  const headers = [{ name: "CONTENT-security-policy", value: " IMG-src\tA  b ;; img-src c ," }];
  const [policy, empty] = policiesOf(headers);
  assert.deepEqual([...policy], [["img-src", ["A", "b"]]]);
  assert.equal(empty.size, 0);
});

test("the extension can be read in one sitting", () => {
  const folder = new URL("../../extension/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  const lines = files.flatMap((name) => readFileSync(new URL(name, folder), "utf8").split("\n"));
  assert.ok(files.length >= 3 && lines.length - files.length < 590, `${lines.length} lines`);
});
