/** A survey whose noisy reports are published: what is said before, and the receipt after it. */

import { acknowledges, findOnBoard } from "../core/board.js";
import { fetchSurvey } from "../core/fetching.js";
import { addressHere } from "./address.js";
import { element, forgetfulInput } from "./dom.js";
import { forgetReceipts } from "./exit.js";
import { refuse } from "./refuse.js";
import { drawnBy, fragment, say } from "./say.js";

/** That everybody may see what is sent, before anybody answers. */
export const whoSeesReports = () =>
  say("Everyone can see what is sent: it is put on a public list. Your name is not on it.");

/**
 * The receipt as a file, and a way to look for its report later.
 * @param {Session} session
 * @param {NoisyReport} report
 * @returns {HTMLElement[]}
 */
export function signedReceipt({ survey, address, receipt }, report) {
  const key = survey.publish ?? "";
  if (!acknowledges(key, report, receipt)) {
    return [
      element(
        "p",
        { class: "warning", id: "receipt-unsigned" },
        say("The server gave no valid receipt. Nobody could prove it if your report were dropped."),
      ),
    ];
  }
  const file = JSON.stringify({ ...report, signature: receipt });
  const attributes = { download: "receipt.json", id: "receipt-signed", href: "#receipt-signed" };
  const link = element("a", attributes, say("Save the signed receipt"));
  // Made when it is pressed: what is made for another receipt is forgotten with all before it.
  link.addEventListener("click", () => {
    forgetReceipts();
    link.href = URL.createObjectURL(new Blob([file], { type: "application/json" }));
  });
  return [
    element("p", { class: "ways" }, link),
    element(
      "p",
      { class: "hint" },
      say(
        "With it you can find your report on the public list later, or prove that it is missing. Whoever has the file can see what was sent.",
      ),
    ),
    element(
      "p",
      { class: "ways" },
      element(
        "a",
        { href: `${address}board${fragment()}`, id: "to-board" },
        say("Find your report on the public list"),
      ),
    ),
  ];
}

/** What is said of a receipt that was looked for. @type {Record<Found, () => string>} */
const NEWS = {
  found: () => say("Your report is on the public list, just as it was sent."),
  waiting: () =>
    say(
      "Your report is not on the public list yet. Reports are put there in groups, so it may still wait for others. Look again when the survey is closed.",
    ),
  missing: () =>
    say(
      "The survey is closed, and your report is not on the public list. Either too few people answered to make up one group, or your report was dropped. Then your receipt proves it.",
    ),
  changed: () =>
    say("The public list shows another report in place of yours. Your receipt proves it."),
  forged: () => say("This file is not a receipt of this survey."),
  unsigned: () => say("The public list is not signed by this survey. Do not trust it."),
  none: () => say("There is no public list yet. Look again when the survey is closed."),
};

/**
 * A field for the file of a receipt, and what became of its report.
 * @param {string} address of the survey
 * @param {string} key of its boards
 * @returns {HTMLElement[]}
 */
function receiptFinder(address, key) {
  const field = forgetfulInput("file", { id: "receipt-file", accept: ".json" });
  const news = element("div", { role: "status", id: "on-board" });
  // Or the same file, chosen again because nothing could be loaded, would be no change.
  field.addEventListener("click", () => {
    field.value = "";
  });
  field.addEventListener("change", async () => {
    const [file] = field.files ?? [];
    if (!file) return;
    /** @type {Found | undefined} */
    let found;
    try {
      found = await findOnBoard(address, key, JSON.parse(await file.text()));
    } catch (error) {
      found = error instanceof SyntaxError ? "forged" : undefined;
    }
    news.dataset.found = found ?? "unreachable";
    const kind = found === "found" || found === "waiting" ? "panel" : "panel warning";
    const text = found
      ? NEWS[found]()
      : say("The public list could not be loaded. Please try again.");
    news.replaceChildren(element("div", { class: kind }, element("p", {}, text)));
  });
  return [
    element(
      "label",
      { for: "receipt-file" },
      say("Find your report: choose the receipt that you saved"),
    ),
    field,
    news,
  ];
}

/** The page on which a receipt finds its report. @param {HTMLElement} place */
export async function showBoard(place) {
  try {
    const survey = await fetchSurvey();
    drawnBy(() => void showBoard(place));
    place.dataset.screen = "board";
    place.replaceChildren(...receiptFinder(addressHere(survey, "board"), survey.publish ?? ""));
  } catch (error) {
    refuse(place, error);
  }
}
