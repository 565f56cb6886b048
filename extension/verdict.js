/**
 * The verdict on the page of a tab: what the button shows and what the popup says.
 *
 * A page has a verdict on its own policy. What its site has shown since the browser was started is
 * kept apart, and looked up each time: a page that comes later can reach into one that is open.
 */

/** @typedef {"yes" | "no" | "unjudged" | "unseen"} State */
/** @typedef {boolean | "unknown"} Holds */
/** What a page came with: its rules, and the headers that it came without. */
/** @typedef {{ rules: Record<string, boolean>, missing: string[] } | undefined} Own */
/** What a site has shown: headers by their names, and whether a page may have run other scripts. */
/** @typedef {{ telling: string[], unknown: string[], other: boolean }} Shown */

/**
 * @param {string} origin
 * @returns {Promise<Shown>}
 */
export async function shownBy(origin) {
  const kept = (await chrome.storage.session.get(origin))[origin];
  return kept ?? { telling: [], unknown: [], other: false };
}

/**
 * @param {number} tabId
 * @returns {Promise<{ state: State, rules: Record<string, Holds>, names: string[] }>}
 */
export async function verdictOf(tabId) {
  const { documentId = "", url = "" } =
    (await chrome.webNavigation.getFrame({ tabId, frameId: 0 })) ?? {};
  /** @type {Own} */
  const own = (await chrome.storage.session.get(documentId))[documentId];
  if (own === undefined) return { state: "unseen", rules: {}, names: [] };
  const { telling: shown, unknown, other } = await shownBy(new URL(url).origin);
  const telling = [...shown, ...own.missing];
  const headers = telling.length > 0 ? false : unknown.length > 0 ? "unknown" : true;
  /** @type {Record<string, Holds>} */
  const rules = { ...own.rules, headers };
  // A page that may run other scripts itself has said so already.
  if (rules.scripts) rules.alone = !other;
  const holds = Object.values(rules);
  const state = holds.includes(false) ? "no" : holds.includes("unknown") ? "unjudged" : "yes";
  return { state, rules, names: telling.length > 0 ? telling : unknown };
}
