/** The extension's verdict, whatever the order in which it hears of a navigation and its answer. */
// promise: extension
import assert from "node:assert/strict";
import test from "node:test";

const URL_ = "https://example.org/KVYTHNR/";
const HARMLESS = { "content-security-policy": ".*" };
const PINNED = {
  hashes: {},
  any_hashes: [],
  shell: {
    before: "<",
    parts: {
      // Of the text "one".
      "a.js": { style: "a", script: "[sha256-dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0=]" },
      "b.js": { style: "b", script: "[sha256-b]" },
      // Of the text "two".
      "c.js": { style: "c", script: "[sha256-P8TM/nRYcOLA2Z9x8w/wZWyN7dQcwdfT03aw2+aF4vM=]" },
    },
    between: "|",
    after: ">",
  },
  headers: { harmless: HARMLESS, always: [], telling: [] },
};

/** @type {Record<string, (...details: any[]) => unknown>} */
const heard = {};
/** @type {Record<string, any>} */
const kept = {};
const events = (/** @type {string[]} */ ...names) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      {
        addListener: (/** @type {any} */ listener) => (heard[name] = listener),
        removeListener: () => delete heard[name],
      },
    ]),
  );
/** @type {string | undefined} */
let badge;
/** @type {object[]} */
const registered = [];
const chrome = {
  action: {
    setBadgeText: ({ text = "" }) => (badge = text),
    setBadgeBackgroundColor() {},
    setBadgeTextColor() {},
  },
  permissions: { contains: () => Promise.resolve(true), ...events("onAdded") },
  runtime: {
    getURL: () => `data:application/json,${JSON.stringify(PINNED)}`,
    ...events("onInstalled", "onMessage"),
  },
  scripting: { registerContentScripts: (/** @type {object[]} */ all) => registered.push(...all) },
  storage: {
    session: {
      get: (/** @type {string} */ key) => Promise.resolve({ [key]: kept[key] }),
      set: (/** @type {object} */ entries) => Promise.resolve(Object.assign(kept, entries)),
    },
  },
  tabs: { query: () => Promise.resolve([]) },
  webNavigation: {
    ...events("onBeforeNavigate", "onCommitted"),
    onErrorOccurred: { addListener() {} },
    getFrame: () => Promise.resolve({ documentId, url: URL_ }),
  },
  webRequest: {
    ...events("onResponseStarted", "onBeforeRedirect"),
    onErrorOccurred: { addListener() {} },
  },
};
Object.assign(globalThis, { chrome });
await import("../../extension/background.js");
const { verdictOf } = await import("../../extension/verdict.js");

let documentId = "";
/** @type {boolean | undefined} */
let markup = true;
const place = { tabId: 1, frameId: 0, url: URL_ };
const policy = "default-src 'none'; form-action 'none'; base-uri 'none'";
const answer = {
  type: "main_frame",
  statusCode: 200,
  responseHeaders: [{ name: "Content-Security-Policy", value: policy }],
};

let documentCount = 0;

/** Hear of events in this order, each with its time, then commit a page; return the badge. */
async function badgeAfter(/** @type {[string, number][]} */ ...order) {
  documentId = String((documentCount += 1));
  badge = undefined;
  // Its markup was looked at before.
  if (markup !== undefined) kept[`markup of ${documentId}`] = markup;
  for (const [name, timeStamp] of [...order, ["onCommitted", 9]])
    heard[name]({ ...place, ...answer, documentId, timeStamp });
  while (badge === undefined) await new Promise((resolve) => setTimeout(resolve));
  return badge;
}

test("an address that could name who opens it is not the one that everybody has", async () => {
  const badgeAt = (/** @type {string} */ page) => {
    place.url = URL_ + page;
    return badgeAfter(["onBeforeNavigate", 1], ["onResponseStarted", 2]);
  };
  for (const page of ["person17/", "?person17", "privacy?person17"])
    assert.equal(await badgeAt(page), "NO", page);
  for (const page of ["privacy", ""]) assert.equal(await badgeAt(page), "yes", page);
});

test("the headers of a page count, also when its navigation is heard of after them", async () => {
  assert.equal(await badgeAfter(["onBeforeNavigate", 1], ["onResponseStarted", 2]), "yes");
  assert.equal(await badgeAfter(["onResponseStarted", 2], ["onBeforeNavigate", 1]), "yes");
});

test("a release that has expired judges nothing, and before that it does", async () => {
  assert.equal(await badgeAfter(["onResponseStarted", 2]), "yes");
  for (const [days, state] of /** @type {const} */ ([
    [2, "yes"],
    [-2, "unjudged"],
  ])) {
    const not_after = new Date(Date.now() + days * 864e5).toISOString().slice(0, 10);
    assert.equal((await verdictOf(1, { not_after })).state, state);
  }
});

test("the headers of an earlier navigation do not count for a page that came without", async () => {
  assert.equal(await badgeAfter(["onResponseStarted", 1], ["onBeforeNavigate", 2]), "?");
  assert.equal(await badgeAfter(["onBeforeNavigate", 1]), "?");
});

test("the markup of a page of questions counts, as soon as it is known", async () => {
  const order = /** @type {[string, number][]} */ ([["onResponseStarted", 2]]);
  markup = undefined;
  // What the site has shown before is forgotten.
  delete kept["https://example.org"];
  assert.equal(await badgeAfter(...order), "?");
  for (const [said, expected] of /** @type {const} */ ([
    [true, "yes"],
    [false, "NO"],
  ])) {
    badge = undefined;
    heard.onMessage(said, { documentId, tab: { id: 1 } });
    while (badge === undefined) await new Promise((resolve) => setTimeout(resolve));
    assert.equal(badge, expected);
  }
  // Of a survey that is not open another page comes.
  answer.statusCode = 410;
  assert.equal(await badgeAfter(...order), "?");
  answer.statusCode = 200;
  // Other pages have words of their own.
  place.url = `${URL_}privacy`;
  assert.equal(await badgeAfter(...order), "yes");
  place.url = URL_;
});

test("who looks at the markup is told of what the release makes it, before any script", async () => {
  const pageOf = (/** @type {string[]} */ ...scripts) =>
    new Promise((reply) => heard.onMessage(scripts, {}, reply));
  assert.equal(await pageOf(), "<|>");
  assert.equal(await pageOf("one", "another", "one"), "<a|[one]>");
  // In another order, the page would say other sentences.
  assert.equal(await pageOf("two", "one"), "<ac|[one][two]>");
  heard.onInstalled();
  assert.equal(registered.length, 1);
  assert.equal(/** @type {any} */ (registered[0]).runAt, "document_start");
});

test("who allows a site later is heard from then on", () => {
  delete heard.onResponseStarted;
  heard.onAdded();
  assert.equal(typeof heard.onResponseStarted, "function");
});
