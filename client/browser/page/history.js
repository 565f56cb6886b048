/**
 * The way through the pages, and the browser's own back button.
 *
 * Browsers write the history to disk, each entry with its time. So the entries are made all at
 * once, as many as there are pages, whatever is answered: neither their number nor their times tell
 * which pages were skipped. Each holds how deep it is and nothing else. Which page is shown only the
 * open page knows: a step in the history is a step on the way that it remembers.
 */

/** @returns {number} */
export const depthNow = () => Number(history.state?.depth) || 0;

/**
 * @template View
 * @param {View} start
 * @param {number} length how many entries to make
 * @param {(view: View) => boolean} show whether there is something to show there
 */
export function openHistory(start, length, show) {
  // Above 0 where the page was reloaded on its way.
  const base = depthNow();
  let depth = base;
  let way = [start];
  let here = 0;
  // By itself a browser scrolls to where it left an entry, or to the fragment that names the language,
  // and takes the focus from the heading: after a step in the history, and so after sending, too.
  history.scrollRestoration = "manual";
  history.replaceState({ depth }, "");
  /** Make the entries that there are not, or that were gone back over. */
  const fill = () => {
    for (let next = depth + 1; next <= base + length; next += 1) {
      history.pushState({ depth: next }, "");
    }
    // Browsers ignore it where it comes too often; then there is less to go back over.
    depth = depthNow();
  };
  /** @param {1 | -1} step */
  const walk = (step) => {
    let next = here + step;
    while (next in way && !show(way[next])) next += step;
    if (next in way) here = next;
    // From the first page, the next step back leaves.
    if (here === 0 && depth > base) history.go(base - depth);
    // Some browsers go back over all entries on which nothing was pressed.
    if (here > 0 && depth <= base) fill();
  };
  const follow = () => {
    if (history.state === null) {
      // A link within the page, such as "Skip to the questions": another entry, the same view.
      way.splice(here, 0, way[here]);
      here += 1;
      depth += 1;
      history.replaceState({ depth }, "");
      return;
    }
    const before = depth;
    depth = depthNow();
    walk(depth < before ? -1 : 1);
  };
  window.addEventListener("popstate", follow);
  return {
    /** @param {View} view */
    go: (view) => {
      fill();
      here += 1;
      way.splice(here, way.length, view);
      show(view);
    },
    back: () => walk(-1),
    forget: () => {
      way = [start];
      here = 0;
    },
    /** Going back from here on leaves the page. */
    end: () => {
      window.removeEventListener("popstate", follow);
      if (depth > base) history.go(base - depth);
    },
  };
}
