/**
 * Compares the page of a questionnaire with the one that the release makes, node by node.
 *
 * The adversary wrote the page. This looks when all of it was read and none of its scripts has
 * altered it: those of the release wait for that, and the policy lets no other run.
 */

document.addEventListener(
  "readystatechange",
  async () => {
    const scripts = [...document.scripts].map(({ text }) => text);
    // What stands in the shadow of an element is seen, and in no copy.
    const isShadowed = [...document.querySelectorAll("*")].some(
      (one) => one instanceof HTMLElement && chrome.dom.openOrClosedShadowRoot(one) !== null,
    );
    const found = document.cloneNode(true);
    const made = read(await chrome.runtime.sendMessage(scripts));
    void chrome.runtime.sendMessage(!isShadowed && made.isEqualNode(found));
  },
  { once: true },
);

/** Read a page as the browser has. @param {string} text */
function read(text) {
  const made = new DOMParser().parseFromString(text, "text/html");
  // A browser that runs scripts leaves as text what is for others, just as it came.
  const others = [...text.matchAll(/<noscript>(.*?)<\/noscript>/gs)];
  made.querySelectorAll("noscript").forEach((one, place) => (one.textContent = others[place][1]));
  return made;
}
