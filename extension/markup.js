/**
 * Compares the page of a questionnaire with the one that the release makes, node by node.
 *
 * The adversary wrote the page. This looks when all of it was read and none of its scripts has run:
 * those of the release wait for that, and one that did not would have altered the page before.
 */

document.addEventListener(
  "readystatechange",
  async () => {
    const names = [...document.scripts].map((one) => one.getAttribute("src") ?? "");
    // What stands in the shadow of an element is seen, and in no copy.
    const isShadowed = [...document.querySelectorAll("*")].some(
      (one) => one instanceof HTMLElement && chrome.dom.openOrClosedShadowRoot(one) !== null,
    );
    const found = document.cloneNode(true);
    const made = pageOf(await chrome.runtime.sendMessage("shell"), names);
    void chrome.runtime.sendMessage(!isShadowed && made.isEqualNode(found));
  },
  { once: true },
);

/**
 * Make the page that loads the same parts of the program, each once.
 *
 * @param {import("./policy.js").Shell} shell
 * @param {string[]} addresses of its scripts
 */
function pageOf({ before, parts, after }, addresses) {
  const loaded = [...new Set(addresses)].map((one) => parts[one.replace("/client/", "")]);
  const text = before + loaded.join("") + after;
  const made = new DOMParser().parseFromString(text, "text/html");
  // A browser that runs scripts leaves as text what is for others, just as it came.
  const others = [...text.matchAll(/<noscript>(.*?)<\/noscript>/gs)];
  made.querySelectorAll("noscript").forEach((one, place) => (one.textContent = others[place][1]));
  return made;
}
