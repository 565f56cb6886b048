/** Says in plain words what holds of the page in front, and what does not. */
import { daysLeft, verdictOf } from "./verdict.js";

/** What holds, what does not, and what nobody has judged, by rule. */
/** @type {Record<string, string[]>} */
const WORDS = {
  scripts: [
    "It runs no script but those of the release.",
    "It may run scripts that are not of the release.",
  ],
  styles: [
    "It uses no style but those of the release.",
    "It may use styles that are not of the release. They can hide things, or mislead you.",
  ],
  fetched: [
    "It loads no picture, font or frame from any server.",
    "It may load pictures, fonts or frames. Each can tell a server what you have ticked.",
  ],
  connections: [
    "It talks to no server but its own.",
    "It may talk to other servers, or tell one what your browser refused.",
  ],
  forms: ["It can send no form.", "It may send forms, and a form needs no script."],
  base: ["It cannot turn its links elsewhere.", "It may turn all its links elsewhere."],
  address: [
    "Its path names nobody. Compare its host with what others were given.",
    "Its address may name you. Open the link that everybody has.",
    "The release asks nothing at this address. Answer nothing on it.",
  ],
  markup: [
    "Its markup is that of the release, node by node.",
    "Its markup is not that of the release. It may say or link to what the program does not. " +
      "Another extension of this browser may have changed it.",
    "This is not the page of questions: the survey is not open, so there was no markup to compare. " +
      "Answer nothing on it.",
  ],
  headers: [
    "Every header that came from this site is known to be harmless.",
    "This site sent headers that are not the release's. By such a header a browser can tell, " +
      "keep or fetch more. A server on the way may have changed them:",
    "This site sent headers that this release does not know. Nobody has judged what a browser " +
      "does by them:",
  ],
  alone: [
    "No page of this site that ran other scripts can reach into it.",
    "Another page of this site may have run other scripts, and can reach into this one. Close " +
      "the whole browser, and open the survey by itself.",
  ],
  date: ["This release has not expired.", "", "This release has expired. Get the next extension."],
};

const VERDICTS = {
  yes: [
    "Yes: your browser holds this page to the release.",
    "This does not tell whether the questions are those of your link: compare the survey check number. " +
      "A link that you press can still tell where it leads.",
  ],
  no: [
    "No: your browser does not hold this page to the release.",
    "If this is a survey of deniable, do not answer it. On other pages this means nothing.",
  ],
  unjudged: [
    "Not judged: something came that this release does not know, or it has expired.",
    "All else is as in the release. Ask the people who run the survey what came.",
  ],
  unseen: [
    "Not known: this page came before anybody looked.",
    "Load it again. If this stays, it does not come from its server, and cannot be checked.",
  ],
  unasked: [
    "Not checked.",
    "Your browser will ask whether this extension may see what this site sends. It changes and " +
      "sends nothing, and forgets what it saw when the browser closes.",
  ],
  other: ["Nothing to check.", "This is not a page of a web site."],
};

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * @param {keyof typeof VERDICTS} state
 * @param {Record<string, import("./verdict.js").Holds>} rules
 * @param {string[]} names of headers
 */
function show(state, rules = {}, names = []) {
  const [verdict, why] = VERDICTS[state];
  element("verdict").textContent = verdict;
  element("verdict").dataset.state = state;
  element("why").textContent = why;
  element("rules").replaceChildren(
    ...Object.entries(WORDS).flatMap(([rule, [held, broken, unknown]]) => {
      const holds = rules[rule];
      if (holds === undefined || holds === "unseen") return [];
      const line = document.createElement("li");
      line.dataset.rule = rule;
      line.dataset.holds = String(holds);
      line.textContent = holds === true ? held : holds ? unknown : broken;
      if (rule === "headers" && holds !== true) line.textContent += ` ${names.join(", ")}.`;
      return [line];
    }),
  );
  element("ask").hidden = state !== "unasked";
  element("reload").hidden = state !== "unseen";
  element("stop").hidden = state === "unasked" || state === "other";
}

async function start() {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const pinned = await (await fetch("pinned.json")).json();
  const { release, not_after: day } = pinned;
  const next = daysLeft(day) < 30 ? "Look for the next one." : "";
  const until = day ? `, and good until ${day}. ${next}` : ".";
  element("release").textContent = `The release is deniable ${release}${until}`;
  if (!/^https?:/.test(tab.url ?? "")) return show("other");
  const { origin } = new URL(tab.url ?? "");
  const site = { origins: [`${origin}/*`] };
  element("site").textContent = origin;
  element("ask").onclick = async () => {
    if (await chrome.permissions.request(site)) show("unseen");
  };
  element("reload").onclick = async () => {
    await chrome.tabs.reload(tab.id);
    window.close();
  };
  element("stop").onclick = async () => {
    await chrome.permissions.remove(site);
    await chrome.action.setBadgeText({ tabId: tab.id, text: "" });
    show("unasked");
  };
  const look = async () => {
    if (!(await chrome.permissions.contains(site))) return show("unasked");
    const { state, rules, names } = await verdictOf(tab.id, pinned);
    show(state, rules, names);
  };
  // What came a moment ago may be noted only after this has opened.
  chrome.storage.session.onChanged.addListener(() => void look());
  await look();
}

await start();
