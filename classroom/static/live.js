/** What happens in a meeting, as it happens: a page asks again and again. */

import { found } from "../../lab/static/elements.js";

/** Milliseconds between two looks, and how long one may take. */
const EVERY = 500;
const PATIENCE = 8000;

/** Say that the meeting is over, and nothing else of it: what it showed is deleted. */
function end() {
  const over = found("over", HTMLElement);
  over.hidden = false;
  document.querySelector("body > header")?.remove();
  found("content", HTMLElement).replaceChildren(over);
}

/**
 * Hear of each moment, and say when the server does not answer.
 * @param {HTMLElement} main which names the address @param {(moment: StageMoment) => void} hear
 */
export async function follow({ dataset }, hear) {
  let last = "";
  for (;;) {
    let connected = false;
    try {
      const response = await fetch(`${dataset.poll}`, { signal: AbortSignal.timeout(PATIENCE) });
      if (response.status === 404) return end();
      const now = response.ok ? await response.text() : "";
      connected = now !== "";
      if (connected && now !== last) hear(JSON.parse(now));
      last = now || last;
    } catch {
      // the next look may find it again
    }
    found("trouble", HTMLElement).hidden = connected;
    await new Promise((wake) => setTimeout(wake, EVERY));
  }
}
