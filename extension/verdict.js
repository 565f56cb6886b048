/**
 * The verdict on the page of a tab: what the button shows and what the popup says.
 *
 * A page has a verdict on its own policy. What its site has shown since the browser was started is
 * kept apart, and looked up each time: a page that comes later can reach into one that is open.
 */

/** @typedef {"yes" | "no" | "unjudged" | "unseen"} State */
/** @typedef {boolean | "unknown" | "unseen"} Holds */
/**
 * What a page came with: its rules, the headers that it came without, whether it is at the address of
 * a questionnaire, and its status: a survey that is not open has another page there.
 * @typedef {{ rules: Record<string, Holds>, missing: string[], asks: boolean, status: number } | undefined} Own
 */
/**
 * What a site has shown: headers by their names, whether a page may have run other scripts, and the
 * kinds of its tags: a proxy makes all of them weak, and one that chose which would name a browser.
 * @typedef {{ telling: string[], unknown: string[], other: boolean, tags: string[] }} Shown
 */

/** Under which name it is kept whether the markup of a page is the release's. */
export const markupOf = (/** @type {string} */ documentId) => `markup of ${documentId}`;

/**
 * @param {string} origin
 * @returns {Promise<Shown>}
 */
export async function shownBy(origin) {
  const kept = (await chrome.storage.session.get(origin))[origin];
  return kept ?? { telling: [], unknown: [], other: false, tags: [] };
}

/** How many days are left, the last one too. @param {string} day the last one of a release */
export const daysLeft = (day) => Math.ceil((Date.parse(day) - Date.now()) / 864e5) + 1;

/**
 * @param {number} tabId @param {{ not_after?: string }} pinned the manifest; only a release's has a last day
 * @returns {Promise<{ state: State, rules: Record<string, Holds>, names: string[] }>}
 */
export async function verdictOf(tabId, { not_after: day }) {
  const { documentId = "", url = "" } =
    (await chrome.webNavigation.getFrame({ tabId, frameId: 0 })) ?? {};
  const kept = chrome.storage.session;
  /** @type {Own} */
  const own = (await kept.get(documentId))[documentId];
  if (own === undefined) return { state: "unseen", rules: {}, names: [] };
  const { telling: shown, unknown, other } = await shownBy(new URL(url).origin);
  const telling = [...shown, ...own.missing];
  const headers = telling.length > 0 ? false : unknown.length > 0 ? "unknown" : true;
  /** @type {Record<string, Holds>} */
  const rules = { ...own.rules, headers };
  // A page that may run other scripts itself has said so already.
  if (rules.scripts) rules.alone = !other;
  if (own.asks) {
    const markup = (await kept.get(markupOf(documentId)))[markupOf(documentId)];
    rules.markup = own.status === 200 ? (markup ?? "unseen") : "unknown";
  }
  if (day) rules.date = daysLeft(day) > 0 || "unknown";
  const holds = Object.values(rules);
  /** @type {State} */
  const state = holds.includes(false)
    ? "no"
    : holds.includes("unseen")
      ? "unseen"
      : holds.includes("unknown")
        ? "unjudged"
        : "yes";
  return { state, rules, names: telling.length > 0 ? telling : unknown };
}
