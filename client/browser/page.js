/**
 * The respondent's page, from the first check to the receipt.
 *
 * The order is the promise: fetch what is asked, check ε on this device, draw all chance, ask,
 * randomise, keep the noise, send it. Whatever fails leaves a page that can send nothing and says why.
 */

import { drawAll } from "./chance.js";
import { deliver } from "./delivery.js";
import { element } from "./dom.js";
import { buildForm } from "./form.js";
import { openMemory } from "./memory.js";
import { isSkipped, label, pagesOf, wayBack } from "./pages.js";
import { errorSummary, privacyNote } from "./panels.js";
import { checkPromise } from "./protocol.js";
import { makeReport, randomise } from "./report.js";
import { review } from "./review.js";
import { drawnBy, say, translated } from "./say.js";
import { openTrail } from "./trail.js";

const answered = () => say("You have answered this survey on this device.");

/**
 * Open the page.
 *
 * @param {Device} device
 */
export async function openPage(device) {
  const address = device.root.dataset.survey ?? "";
  try {
    const survey = await fetchSurvey(`${address}/survey.json`);
    const waves = survey.waves && (await import("./waves.js"));
    checkPromise(survey, waves?.checkWaves);
    const { root, storage } = device;
    const plain = openMemory(storage, survey);
    const memory = waves?.inWave(plain, storage, survey, Number(root.dataset.wave)) ?? plain;
    const kept = memory.report();
    if (kept) await deliver(root, survey, address, kept, memory, answered);
    else if (!memory.answered(root)) await ask(device, survey, memory, address);
  } catch (error) {
    refuse(device.root, error);
  }
}

/**
 * @param {string} address
 * @returns {Promise<SurveyDocument>}
 */
async function fetchSurvey(address) {
  // As the page asks for it ahead, by a link that cannot leave credentials out; there are none here.
  const answer = await fetch(address, { credentials: "same-origin", redirect: "error" });
  if (!answer.ok) throw new Error(say("The questions could not be fetched."));
  return answer.json();
}

/**
 * Say why nothing is asked.
 *
 * @param {HTMLElement} root
 * @param {unknown} error
 */
function refuse(root, error) {
  drawnBy(() => refuse(root, error));
  const reason = error instanceof Error ? error.message : String(error);
  root.replaceChildren(
    element(
      "div",
      { class: "panel warning", role: "alert" },
      element("h2", {}, say("This page will not ask you anything")),
      element(
        "p",
        {},
        say(
          "It could not make sure that your answers would be protected. Nothing was sent, and nothing can be sent from this page.",
        ),
      ),
      element("p", {}, say("The reason: {reason}", { reason })),
    ),
  );
}

/**
 * Ask the questions, have them checked, and send the report.
 *
 * @param {Device} device
 * @param {SurveyDocument} survey
 * @param {Memory} memory
 * @param {string} address
 */
async function ask(device, survey, memory, address) {
  const { root, randomness } = device;
  // Loaded only where a survey wants it, and before anything is asked.
  const check = survey.comprehension && (await import("./comprehension.js"));
  const chance = drawAll(survey, randomness, memory.drawn());
  if (chance.chosen.length > 0) memory.keepDrawn(chance.chosen);
  const kept = memory.bytes();
  const ready = memory.ready(chance.words);
  let told = translated(survey);
  let form = buildForm(told, kept, chance.asked, chance.orders);
  let pages = pagesOf(survey, form.entries);
  let clear = check?.comprehension(told, pages[0].length === 0);
  const reportOf = (/** @type {number[]} */ truths) =>
    makeReport(
      survey,
      chance.id,
      randomise(survey, truths, chance.words, kept, chance.asked, ready),
    );

  /** @type {View} */
  const start = { place: 0 };
  let view = start;
  const button = element("button", { type: "submit" });
  const shell = element("form", { autocomplete: "off", novalidate: true });
  const summary = element("div", { class: "panel warning", tabindex: "-1", hidden: true });
  const news = element("p", { class: "unseen", role: "status" });

  /** @param {Mistake[]} mistakes */
  const complain = (mistakes) => {
    form.show(mistakes);
    errorSummary(summary, mistakes);
  };
  /** @type {(entry: Entry) => View} */
  const change = (entry) => ({ place: pages.findIndex((page) => page.includes(entry)), entry });
  /**
   * @param {View} next
   * @returns {boolean} whether there is something on it that applies
   */
  const show = (next) => {
    const { truths, mistakes } = form.read();
    if (isSkipped(pages[next.place])) return false;
    // Somebody took an answer away, or gave another one, after which there is more to ask.
    const missing = next.place === pages.length ? mistakes[0]?.entry : undefined;
    view = missing ? change(missing) : next;
    complain([]);
    const page = pages[view.place];
    const place = view.clear ? pages.length : view.place;
    const content = page
      ? view.clear && clear
        ? [clear.field]
        : page.map(({ field }) => field)
      : review(told, form.entries, truths, reportOf(truths), (entry) => trail.go(change(entry)));
    button.textContent = label(page, place);
    shell.replaceChildren(...content, news, button);
    root.replaceChildren(
      ...wayBack(pages, place, () => trail.back()),
      summary,
      ...(place === 0 ? [privacyNote(told, address, memory.works, memory.rounds())] : []),
      ...(clear && !clear.apart && place === 0 ? [clear.field] : []),
      shell,
    );
    document.body.classList.toggle("under-way", place > 0);
    return true;
  };
  const arrive = (/** @type {View} */ next) => {
    if (!show(next)) return false;
    window.scrollTo(0, 0);
    // By its id: it may have been drawn in another language since.
    const field = view.entry && document.getElementById(view.entry.question.id);
    const heading = (field ?? root).querySelector(":not([hidden]) > h2");
    if (heading instanceof HTMLElement) heading.focus();
    return true;
  };
  const trail = openTrail(start, pages.length + Number(clear?.apart ?? false), arrive);

  /** @param {Entry[] | undefined} page undefined for the review, where all of them count */
  const mistakesOn = (page) =>
    form.read().mistakes.filter(({ entry }) => page?.includes(entry) ?? true);
  const proceed = () => {
    const page = pages[view.place];
    const mistakes = mistakesOn(page);
    complain(mistakes);
    if (mistakes.length > 0) return;
    if (page) {
      const first = clear?.apart && view.place === 0 && !view.clear;
      let place = view.entry ? pages.length : view.place + 1;
      while (isSkipped(pages[place])) place += 1;
      trail.go(first ? { place: 0, clear: true } : { place });
      return;
    }
    // Another tab may have sent a report meanwhile: then that one is sent again.
    const sent = memory.report();
    const made = sent ?? reportOf(form.read().truths);
    const done = !sent && memory.answered(root);
    if (!sent && !done) memory.keep(made);
    // From here on only the noise is left: a second click finds no form, going back no answer.
    form.reset();
    trail.end();
    if (done) return;
    const meanwhile = sent === undefined ? () => say("Sending …") : answered;
    void deliver(root, survey, address, made, memory, meanwhile);
  };
  // Questions on the same page come and go with the answers before them.
  const follow = () => {
    const number = () => form.entries.filter(({ skipped }) => !skipped).length;
    const last = number();
    form.read();
    const count = number();
    if (count !== last) news.textContent = say("Questions asked now: {count}", { count });
  };
  // Radio buttons settle which of them is ticked after the first of these events only.
  for (const event of ["input", "change"]) shell.addEventListener(event, () => setTimeout(follow));
  // The second half of a double click would press the button of the page after this one.
  button.addEventListener("click", (event) => {
    if (event.detail > 1) event.preventDefault();
  });
  shell.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      proceed();
    } catch (error) {
      refuse(root, error);
    }
  });
  drawnBy((copyAnswers) => {
    const old = form.entries;
    const wrong = !summary.hidden;
    told = translated(survey);
    form = buildForm(told, kept, chance.asked, chance.orders);
    pages = pagesOf(survey, form.entries);
    form.entries.forEach(({ field }, place) => copyAnswers(old[place].field, field));
    const before = clear;
    clear = check?.comprehension(told, pages[0].length === 0);
    if (before && clear) copyAnswers(before.field, clear.field);
    show(view);
    if (wrong) complain(mistakesOn(pages[view.place]));
  });
  forgetWhenLeft(() => {
    form.reset();
    clear?.reset();
    trail.forget();
    show(start);
  });
  show(start);
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
