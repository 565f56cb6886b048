// "Use this", on a better way, loads a draft's page anew: what the draft said before is kept
// for its Undo.

const EARLIER = "deniable/text before a way was chosen";

/** Keep today's text when a way is chosen. */
export function keepEarlier() {
  document.addEventListener("submit", ({ submitter, target }) => {
    const words = submitter?.dataset.words;
    const form = /** @type {HTMLFormElement} */ (target);
    const host = /** @type {HTMLElement | null} */ (form.closest("[data-before]"));
    const before = host?.dataset.before;
    if (words === undefined || before === undefined) return;
    const page = new URL(form.action).pathname;
    sessionStorage.setItem(EARLIER, JSON.stringify({ page, text: before, words }));
  });
}

/**
 * Take what was kept for this page.
 * @returns {{text: string, words: string} | null}
 */
export function takeEarlier() {
  const kept = JSON.parse(sessionStorage.getItem(EARLIER) ?? "{}");
  sessionStorage.removeItem(EARLIER);
  return kept.page === location.pathname ? kept : null;
}
