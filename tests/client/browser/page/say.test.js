/** What the page says where it runs from right to left. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { say } from "../../../../client/browser/page/say.js";

test("from right to left, only what the page did not say itself runs as its own letters do", (t) => {
  Object.assign(globalThis, { document: { dir: "rtl" } });
  t.after(() => Reflect.deleteProperty(globalThis, "document"));
  // The sign of a number that the page wrote stands left of it, as in the sentence around it.
  const share = say("{count} %", { count: 95 });
  assert.equal(share, "\u206895\u2069 %");
  assert.equal(
    say("{all} ({name})", { all: share, name: "Ada" }),
    `\u2067${share}\u2069 (\u2068Ada\u2069)`,
  );
});

test("from left to right, nothing is set apart", () => {
  assert.equal(say("{count} of {all}", { count: say("{one}", { one: 1 }), all: 2 }), "1 of 2");
});
