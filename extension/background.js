/**
 * Looks at the headers of pages as they arrive, and remembers what they enforce.
 *
 * Nothing is fetched: a server could answer a second request otherwise than the first. A verdict
 * belongs to a document, not to a tab or an address: a page that comes from the browser's cache of
 * left pages, or from a service worker, came without headers that we saw, and gets no verdict of
 * another one. And a page that is held is not enough: one of the same site that runs other scripts
 * can reach into it, as its opener can. So a site that had such a page is trusted no more.
 */
import { judge } from "./policy.js";

/** The response that may become a frame's next document. Lost when this worker ends: no verdict. */
/** @type {Map<string, { url: string, headers: import("./policy.js").Header[] }>} */
const arrived = new Map();
/** One document is judged after the other: what one of them says of its site counts for the next. */
let judged = Promise.resolve();

const PAGES = { urls: ["http://*/*", "https://*/*"], types: ["main_frame", "sub_frame"] };

/** @typedef {{ tabId: number, frameId: number }} Place */
const placeOf = (/** @type {Place} */ { tabId, frameId }) => `${tabId} ${frameId}`;
const forget = (/** @type {Place} */ details) => void arrived.delete(placeOf(details));

chrome.webNavigation.onBeforeNavigate.addListener(forget);
chrome.webNavigation.onErrorOccurred.addListener(forget);
chrome.webRequest.onErrorOccurred.addListener(forget, PAGES);

// As they are after all other extensions: what the browser itself goes by.
chrome.webRequest.onResponseStarted.addListener(
  (details) => {
    const { url, responseHeaders: headers = [] } = details;
    arrived.set(placeOf(details), { url, headers });
  },
  PAGES,
  ["responseHeaders", "extraHeaders"],
);

chrome.webNavigation.onCommitted.addListener((details) => {
  const response = arrived.get(placeOf(details));
  forget(details);
  const headers = response?.url === details.url.split("#")[0] ? response?.headers : undefined;
  judged = judged.then(() => look(details, headers)).catch(() => {});
});

/**
 * @param {Place & { url: string, documentId: string }} document
 * @param {import("./policy.js").Header[] | undefined} headers undefined if they were not seen
 */
async function look({ tabId, frameId, url, documentId }, headers) {
  const { origin, protocol } = new URL(url);
  // Of a site that nobody asked about, nothing is kept.
  if (!protocol.startsWith("http")) return;
  if (!(await chrome.permissions.contains({ origins: [`${origin}/*`] }))) return;
  const kept = chrome.storage.session;
  let verdict = (await kept.get(documentId))[documentId];
  if (verdict === undefined && headers !== undefined) {
    const pinned = await (await fetch(chrome.runtime.getURL("pinned.json"))).json();
    const alone = (await kept.get(origin))[origin] === undefined;
    verdict = { ...judge(headers, pinned), alone };
    await kept.set({ [documentId]: verdict });
  }
  if (!verdict?.scripts) await kept.set({ [origin]: { scripts: false } });
  if (frameId !== 0) return;
  const holds = verdict !== undefined && Object.values(verdict).every(Boolean);
  const [text, color] =
    verdict === undefined ? ["?", "#6b6b6b"] : holds ? ["yes", "#1a7f37"] : ["NO", "#b3261e"];
  await chrome.action.setBadgeBackgroundColor({ tabId, color });
  await chrome.action.setBadgeTextColor({ tabId, color: "#ffffff" });
  await chrome.action.setBadgeText({ tabId, text });
}
