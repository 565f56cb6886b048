/**
 * The way through the pages, and the browser's own back button.
 *
 * Browsers write the history to disk. So it holds how deep each of its entries is and nothing else;
 * which page that was only the open page knows, and once it is left, every entry opens the first.
 */

/** @returns {number} */
export const depthNow = () => Number(history.state?.depth) || 0;

/**
 * @template View
 * @param {View} start
 * @param {(view: View) => void} show
 */
export function openTrail(start, show) {
  // Above 0 where the page was reloaded on its way.
  const base = depthNow();
  let depth = base;
  const views = new Map([[base, start]]);
  history.replaceState({ depth }, "");
  const follow = () => {
    if (history.state === null) {
      // A link within the page, such as "Skip to the questions": another entry, the same view.
      views.set(depth + 1, views.get(depth) ?? start);
      depth += 1;
      history.replaceState({ depth }, "");
      return;
    }
    depth = depthNow();
    show(views.get(depth) ?? start);
  };
  window.addEventListener("popstate", follow);
  return {
    /** @param {View} view */
    go: (view) => {
      history.pushState({ depth: depth + 1 }, "");
      // Browsers ignore it where it comes too often; then going back skips a page, but stays here.
      depth = depthNow();
      views.set(depth, view);
      show(view);
    },
    back: () => history.back(),
    forget: () => views.clear(),
    /** Going back from here on leaves the page. */
    end: () => {
      window.removeEventListener("popstate", follow);
      if (depth > base) history.go(base - depth);
    },
  };
}
