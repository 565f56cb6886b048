/**
 * The respondent's page, from the first check to the receipt.
 *
 * The order is the promise: fetch what is asked, check ε on this device, draw all chance, ask,
 * randomise, keep the noise, send it. Whatever fails leaves a page that can send nothing and says why.
 *
 * @import {SurveyDocument} from "./protocol.js"
 * @import {Randomness, Report} from "./report.js"
 * @import {Memory} from "./memory.js"
 * @typedef {{root: HTMLElement, randomness: Randomness, storage: Storage | undefined}} Device
 */

import { askedItems, choose } from "./asking.js";
import { element } from "./dom.js";
import { buildForm } from "./form.js";
import { openMemory } from "./memory.js";
import { checkPromise, drawsOf } from "./protocol.js";
import { drawChance, makeReport, randomise } from "./report.js";
import { send } from "./submission.js";
import { disclosure, errorSummary, privacyNote, reportTable } from "./panels.js";

/** What to say of each outcome of sending. */
const OUTCOMES = {
  stored: ["Thank you. Your report has arrived.", "This, and nothing else, left your browser."],
  closed: [
    "This survey is closed",
    "Your report was not taken. It arrived after the survey had ended.",
  ],
  refused: [
    "Your report was not taken",
    "The server refused it. Nothing you answered was sent in any other form.",
  ],
  unreachable: [
    "Not sent yet",
    "The server cannot be reached. Try again now, or come back to this page later: the same report will be sent.",
  ],
};

const ANSWERED = "You have answered this survey on this device.";

/**
 * Open the page.
 *
 * @param {Device} device
 */
export async function openPage(device) {
  const address = device.root.dataset.survey ?? "";
  try {
    const survey = await fetchSurvey(`${address}/survey.json`);
    checkPromise(survey);
    const memory = openMemory(device.storage, survey);
    const kept = memory.report();
    if (kept === undefined) ask(device, survey, memory, address);
    else await deliver(device, survey, address, kept, ANSWERED);
  } catch (error) {
    refuse(device.root, error);
  }
}

/**
 * @param {string} address
 * @returns {Promise<SurveyDocument>}
 */
async function fetchSurvey(address) {
  const answer = await fetch(address, { credentials: "omit", redirect: "error" });
  if (!answer.ok) throw new Error("The questions could not be fetched.");
  return answer.json();
}

/**
 * Say why nothing is asked.
 *
 * @param {HTMLElement} root
 * @param {unknown} error
 */
function refuse(root, error) {
  const reason = error instanceof Error ? error.message : String(error);
  root.replaceChildren(
    element(
      "div",
      { class: "panel warning", role: "alert" },
      element("h2", {}, "This page will not ask you anything"),
      element(
        "p",
        {},
        "It could not make sure that your answers would be protected. Nothing was sent, and nothing can be sent from this page.",
      ),
      element("p", {}, `The reason: ${reason}`),
    ),
  );
}

/**
 * Ask the questions.
 *
 * @param {Device} device
 * @param {SurveyDocument} survey
 * @param {Memory} memory
 * @param {string} address
 */
function ask(device, survey, memory, address) {
  const { root, randomness } = device;
  const draws = drawsOf(survey);
  const chance = drawChance(
    randomness,
    survey.items.length,
    draws.map(({ choices }) => choices.length),
  );
  const before = memory.drawn();
  const drawn = draws.flatMap((draw, place) => choose(draw, chance.draws[place], before));
  if (draws.length > 0) memory.keepDrawn(drawn);
  const asked = askedItems(survey, drawn);
  const kept = memory.bytes();
  const form = buildForm(survey, kept, asked);
  const preview = disclosure();
  const summary = element("div", { class: "panel warning", tabindex: "-1", hidden: true });
  const button = element("button", { type: "submit" }, "Send the randomised report");
  const shell = element(
    "form",
    { autocomplete: "off", novalidate: true },
    ...form.fields,
    preview.element,
    button,
  );

  const report = (/** @type {number[]} */ truths) =>
    makeReport(survey, chance.id, randomise(survey, truths, chance.words, kept, asked));
  const refresh = () => {
    const { truths, mistakes } = form.read();
    preview.update(mistakes.length > 0 ? undefined : reportTable(survey, report(truths)));
  };
  const submit = () => {
    const { truths, mistakes } = form.read();
    form.show(mistakes);
    errorSummary(summary, mistakes);
    if (mistakes.length > 0) return;
    // Another tab may have sent a report meanwhile: then that one is sent again.
    const sent = memory.report();
    const made = sent ?? report(truths);
    memory.keep(made);
    // From here on only the noise is left: a second click finds no form.
    form.reset();
    void deliver(device, survey, address, made, sent === undefined ? "Sending …" : ANSWERED);
  };
  shell.addEventListener("change", refresh);
  shell.addEventListener("input", refresh);
  shell.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      submit();
    } catch (error) {
      refuse(root, error);
    }
  });
  forgetWhenLeft(() => {
    form.reset();
    refresh();
  });
  root.replaceChildren(summary, privacyNote(survey, address, memory.works), shell);
  refresh();
}

/**
 * Send a report until it has arrived, and show it.
 *
 * @param {Device} device
 * @param {SurveyDocument} survey
 * @param {string} address
 * @param {Report} report
 * @param {string} meanwhile
 */
async function deliver({ root }, survey, address, report, meanwhile) {
  const heading = element("h2", { tabindex: "-1" }, meanwhile);
  const text = element("p", {}, "This is being sent, and nothing else.");
  const status = element("div", { class: "panel", role: "status" }, heading, text);
  root.replaceChildren(status, reportTable(survey, report));
  heading.focus();
  for (;;) {
    const outcome = await send(`${address}/reports`, report);
    [heading.textContent, text.textContent] = OUTCOMES[outcome];
    status.dataset.outcome = outcome;
    if (outcome !== "unreachable") return;
    await pressed(status);
    [heading.textContent, text.textContent] = ["Sending …", "The same report is being sent again."];
  }
}

/**
 * Offer to try again, and wait until that is wanted.
 *
 * @param {HTMLElement} status
 * @returns {Promise<void>}
 */
function pressed(status) {
  const button = element("button", { type: "button" }, "Try again");
  status.append(button);
  return new Promise((resolve) => {
    button.addEventListener("click", () => {
      button.remove();
      resolve();
    });
  });
}

/**
 * Leave no answer behind for somebody who comes to the device later: browsers keep left pages, with
 * what was ticked in them, for the back button.
 *
 * @param {() => void} reset
 */
function forgetWhenLeft(reset) {
  window.addEventListener("pagehide", reset);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) window.location.reload();
  });
}
