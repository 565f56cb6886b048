/**
 * From an address that is nearly a survey's to the one that everybody has.
 *
 * No server does it: what stands behind the "#" of a link never reaches one, and in an address that
 * a server led to nobody could tell whose it is.
 */

/**
 * What a link ends with, also where a program on its way has written its "#" as part of the address.
 * @param {{hash: string, pathname: string, search: string}} place
 */
export function endOfLink({ hash, pathname, search }) {
  if (hash) return hash;
  const [, rest] = /%23(.*)/.exec(pathname + search) ?? [];
  return rest ? `#${rest}` : "";
}

/** The links of the page, in each of its languages. */
function linksOnward() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("a.onward");
  for (const link of links) link.hash = endOfLink(location);
  return links;
}

addEventListener("DOMContentLoaded", () => {
  for (const link of linksOnward()) {
    link.addEventListener("click", (event) => {
      // Another language may have been chosen since.
      linksOnward();
      if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      // Going back leads to where the person came from.
      location.replace(link.href);
    });
  }
});
