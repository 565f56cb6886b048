/**
 * Looks at the headers of pages as they arrive, and remembers what they enforce.
 *
 * Nothing is fetched: a server could answer a second request otherwise than the first. A verdict
 * belongs to a document, not to a tab or an address: a page that comes from the browser's cache of
 * left pages, or from a service worker, came without headers that we saw, and gets no verdict of
 * another one.
 */
import { judge } from "./policy.js";

/** The response that may become the next document of a tab. Lost when this worker ends: no verdict. */
/** @type {Map<number, { url: string, headers: import("./policy.js").Header[] }>} */
const arrived = new Map();

const PAGES = { urls: ["http://*/*", "https://*/*"], types: ["main_frame"] };

/** @param {{ tabId: number, frameId: number }} details */
function forget(details) {
  if (details.frameId === 0) arrived.delete(details.tabId);
}

chrome.webNavigation.onBeforeNavigate.addListener(forget);
chrome.webNavigation.onErrorOccurred.addListener(forget);
chrome.webRequest.onErrorOccurred.addListener(forget, PAGES);

// As they are after all other extensions: what the browser itself goes by.
chrome.webRequest.onResponseStarted.addListener(
  ({ tabId, frameId, url, responseHeaders = [] }) => {
    if (frameId === 0) arrived.set(tabId, { url, headers: responseHeaders });
  },
  PAGES,
  ["responseHeaders", "extraHeaders"],
);

chrome.webNavigation.onCommitted.addListener(async ({ tabId, frameId, url, documentId }) => {
  if (frameId !== 0) return;
  const response = arrived.get(tabId);
  arrived.delete(tabId);
  const known = (await chrome.storage.session.get(documentId))[documentId];
  let verdict = known;
  if (known === undefined && response?.url === url.split("#")[0]) {
    verdict = judge(response.headers, await pinned());
    await chrome.storage.session.set({ [documentId]: verdict });
  }
  await mark(tabId, url, verdict);
});

/** @returns {Promise<import("./policy.js").Pinned>} */
async function pinned() {
  return (await fetch(chrome.runtime.getURL("pinned.json"))).json();
}

/**
 * Show a verdict in a word, on sites that the person asked about.
 *
 * @param {number} tabId
 * @param {string} url
 * @param {Record<string, boolean> | undefined} verdict
 */
async function mark(tabId, url, verdict) {
  const isAsked =
    /^https?:/.test(url) &&
    (await chrome.permissions.contains({ origins: [`${new URL(url).origin}/*`] }));
  const holds = verdict !== undefined && Object.values(verdict).every(Boolean);
  const [text, color] =
    verdict === undefined ? ["?", "#6b6b6b"] : holds ? ["yes", "#1a7f37"] : ["NO", "#b3261e"];
  await chrome.action.setBadgeBackgroundColor({ tabId, color });
  await chrome.action.setBadgeTextColor({ tabId, color: "#ffffff" });
  await chrome.action.setBadgeText({ tabId, text: isAsked ? text : "" });
}
