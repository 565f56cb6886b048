/** What happens in a meeting, as it happens: by server-sent events, or by asking where these fail. */

import { found } from "../../lab/static/elements.js";

const EVERY = 2000;

/** Say that the meeting is over, and nothing else of it: what it showed is deleted. */
function end() {
  const over = found("over", HTMLElement);
  over.hidden = false;
  document.querySelector("body > header")?.remove();
  found("content", HTMLElement).replaceChildren(over);
}

/**
 * Hear of each moment, and say when the server does not answer.
 * @param {HTMLElement} main which names the addresses @param {(moment: StageMoment) => void} hear
 */
export function follow({ dataset }, hear) {
  let asking = 0;
  const tell = (/** @type {boolean} */ connected) =>
    (found("trouble", HTMLElement).hidden = connected);
  const source = new EventSource(`${dataset.events}`);
  const ask = async () => {
    try {
      const response = await fetch(`${dataset.poll}`);
      if (response.status === 404) {
        clearInterval(asking);
        source.close();
        return end();
      }
      if (!response.ok) throw new Error(`${response.status}`);
      hear(await response.json());
      tell(true);
    } catch {
      tell(false);
    }
  };
  source.addEventListener("message", ({ data }) => {
    clearInterval(asking);
    asking = 0;
    hear(JSON.parse(data));
    tell(true);
  });
  // A browser connects again by itself; until it has, the page asks.
  source.addEventListener("error", () => {
    if (!asking) asking = window.setInterval(ask, EVERY);
    ask();
  });
  ask();
}
