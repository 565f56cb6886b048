/**
 * Looks at the headers of all answers as they arrive, and remembers what they have the browser do.
 *
 * Nothing is fetched: a server could answer a second request otherwise than the first. A verdict
 * belongs to a document, not to a tab or an address: a page that comes from the browser's cache of
 * left pages, or from a service worker, came without headers that we saw, and gets no verdict of
 * another one. And a page that is held is not enough: one of the same site that runs other scripts
 * can reach into it, and what a header has the browser keep counts for later pages. So a site that
 * has shown such a thing is trusted no more, in all tabs at once.
 */
import { judgeHeaders, missingHeaders } from "./headers.js";
import { judge } from "./policy.js";
import { markupOf, shownBy, verdictOf } from "./verdict.js";

/** @typedef {{ url: string, status: number, headers: import("./headers.js").Header[] }} Response */
/** The response that may become a frame's next document. Lost when this worker ends: no verdict. */
/** @type {Map<string, Response & { timeStamp: number }>} */
const arrived = new Map();
/** One thing after the other: what is noted of a site counts for the next. */
let noted = Promise.resolve();
const next = (/** @type {() => Promise<void>} */ step) =>
  void (noted = noted.then(step).catch(() => {}));

const ALL = { urls: ["http://*/*", "https://*/*"] };
const PAGES = ["main_frame", "sub_frame"];
const BADGES = {
  yes: ["yes", "#1a7f37"],
  no: ["NO", "#b3261e"],
  unjudged: ["?", "#8a5300"],
  unseen: ["?", "#6b6b6b"],
};

/** Where surveys are, and the pages there that everybody has: another could name who opens it. */
const SURVEY = /^\/(?:s\/|[BCDFGHJKMNPRSTVWXYZ]{7})/;
const PAGE = /^\/(?:s\/[^/?]+|[A-Z]{7})\/(privacy|sheet|poster|board)?$/;
/** Another page that runs the program. On all others a survey could be imitated. */
const DEVICE = "/device";

/** @typedef {{ tabId: number, frameId: number, timeStamp: number }} Place */
const placeOf = (/** @type {Place} */ { tabId, frameId }) => `${tabId} ${frameId}`;

/** @param {Place} details an event: we may hear of it after the response that followed it */
function forget(details) {
  const place = placeOf(details);
  if ((arrived.get(place)?.timeStamp ?? 0) <= details.timeStamp) arrived.delete(place);
}

chrome.webNavigation.onBeforeNavigate.addListener(forget);
chrome.webNavigation.onErrorOccurred.addListener(forget);
chrome.webRequest.onErrorOccurred.addListener(forget, { ...ALL, types: PAGES });
const pinned = fetch(chrome.runtime.getURL("pinned.json")).then((file) => file.json());
/** Names of headers that are kept of a site: one is enough for the verdict. */
const MOST = 20;

/** Of a site that nobody asked about, nothing is kept. */
const isAsked = (/** @type {string} */ origin) =>
  chrome.permissions.contains({ origins: [`${origin}/*`] });

/** @param {Arrival} details headers as they are after all other extensions: what the browser obeys */
function hear({ type, url: whole, statusCode: status, responseHeaders: headers = [], ...place }) {
  const { origin, pathname } = new URL(whole);
  // Where a link ends in a number, the browser says it here, and nowhere else.
  const [url] = whole.split("#");
  if (PAGES.includes(type))
    arrived.set(placeOf(place), { url, status, headers, timeStamp: place.timeStamp });
  next(async () => {
    const found = judgeHeaders(headers, (await pinned).headers, pathname);
    await note(origin, status === 200 ? found : { ...found, tags: [] });
  });
}

/** Chromium tells a listener of those sites alone that were allowed when it was added. */
function listen() {
  for (const event of [chrome.webRequest.onResponseStarted, chrome.webRequest.onBeforeRedirect]) {
    event.removeListener(hear);
    event.addListener(hear, ALL, ["responseHeaders", "extraHeaders"]);
  }
}

listen();
chrome.permissions.onAdded.addListener(listen);

chrome.webNavigation.onCommitted.addListener((details) => {
  const response = arrived.get(placeOf(details));
  forget(details);
  const isIts = response?.url === details.url.split("#")[0];
  next(() => look(details, isIts ? response : undefined));
});

/** What looks at the markup before any script of the page runs: on the sites that were asked for. */
chrome.runtime.onInstalled.addListener(() => {
  const script = { id: "markup", js: ["markup.js"], runAt: "document_start", matches: ALL.urls };
  void chrome.scripting.registerContentScripts([script]);
});

chrome.runtime.onMessage.addListener((said, { documentId, tab }, reply) => {
  if (Array.isArray(said)) {
    void pinned.then(({ shell }) => pageOf(shell, said)).then(reply);
    return true;
  }
  next(async () => {
    await chrome.storage.session.set({ [markupOf(documentId)]: said });
    await show(tab.id);
  });
  return false;
});

/**
 * Make the page of the release that has the same scripts, each once and in the release's order: in
 * another order, what people read in their language would be other sentences.
 * @param {import("./policy.js").Shell} shell
 * @param {string[]} scripts
 */
async function pageOf({ before, parts, between, after }, scripts) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const text of scripts) {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    texts.set(`sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`, text);
  }
  for (const { style, script } of Object.values(parts)) {
    const [hash] = /sha256-[\w+/=]+/.exec(script) ?? [""];
    const text = texts.get(hash);
    if (text === undefined) continue;
    before += style;
    between += script.replace(hash, () => text);
  }
  return before + between + after;
}

/**
 * @param {{ tabId: number, frameId: number, url: string, documentId: string }} document
 * @param {Response | undefined} response undefined if it was not seen
 */
async function look({ tabId, frameId, url, documentId }, response) {
  const { origin, protocol, href } = new URL(url);
  if (!protocol.startsWith("http") || !(await isAsked(origin))) return;
  const kept = chrome.storage.session;
  /** @type {import("./verdict.js").Own} */
  let own = (await kept.get(documentId))[documentId];
  if (own === undefined && response !== undefined) {
    const { status, headers } = response;
    const release = await pinned;
    const path = href.split("#")[0].slice(origin.length);
    const page = PAGE.exec(path);
    /** @type {import("./verdict.js").Holds} */
    const address = page !== null || path === DEVICE || (!SURVEY.test(path) && "unknown");
    const rules = { ...judge(headers, release), address };
    const missing = missingHeaders(headers, release.headers);
    own = { rules, missing, asks: page !== null && page[1] === undefined, status };
    await kept.set({ [documentId]: own });
  }
  if (!own?.rules.scripts) await note(origin, { other: true });
  if (frameId === 0) await show(tabId);
}

/**
 * Note what a site has shown, and say so in all its tabs.
 * @param {string} origin
 * @param {{ telling?: string[], unknown?: string[], tags?: string[], other?: boolean }} found
 */
async function note(origin, { telling = [], unknown = [], tags = [], other = false }) {
  if (!(await isAsked(origin))) return;
  const before = await shownBy(origin);
  const kinds = [...new Set([...before.tags, ...tags])];
  // Some proxies make only large files' tags weak: nobody can tell that from a choice.
  const mixed = kinds.length > 1 ? ["etag"] : [];
  const after = {
    tags: kinds,
    telling: [...new Set([...before.telling, ...telling])].slice(0, MOST),
    unknown: [...new Set([...before.unknown, ...unknown, ...mixed])].slice(0, MOST),
    other: before.other || other,
  };
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  await chrome.storage.session.set({ [origin]: after });
  for (const { id, url = "" } of await chrome.tabs.query({}))
    if (url.startsWith(`${origin}/`)) await show(id);
}

/** @param {number} tabId */
async function show(tabId) {
  const [text, color] = BADGES[(await verdictOf(tabId, await pinned)).state];
  await chrome.action.setBadgeBackgroundColor({ tabId, color });
  await chrome.action.setBadgeTextColor({ tabId, color: "#ffffff" });
  await chrome.action.setBadgeText({ tabId, text });
}
