/**
 * The respondent's page, from the first check to the receipt.
 *
 * The order is the promise: fetch what is asked, check ε on this device, draw all chance, ask,
 * randomise, keep the noise, send it. Whatever fails leaves a page that can send nothing and says why.
 */

import { admissionFor } from "../core/admission.js";
import { drawAll } from "../core/chance.js";
import { fetchSurvey } from "../core/fetching.js";
import { isTrial, openMemory, peopleOn } from "../core/memory.js";
import { openMemoryInWave } from "../core/memoryinwaves.js";
import { NoConnection } from "../core/refusal.js";
import { withSpinners } from "../core/statement.js";
import { pause } from "../core/submission.js";
import { byGroups } from "../core/together.js";
import { addressHere } from "./address.js";
import { askWho, insteadOf } from "./person.js";
import { digitsIn, tellOfChange } from "./changed.js";
import { deliver } from "./delivery.js";
import { Questionnaire } from "./questionnaire.js";
import { hideCode } from "./invitation.js";
import { joined } from "./meeting.js";
import { offline, refuse } from "./refuse.js";
import { fetchState } from "./state.js";
import { drawPage } from "./surroundings.js";
import { asTrial, leadTo } from "./trial.js";

/**
 * Open the page: without a connection once more by itself, and then whenever the person asks for it.
 * @param {Device} device
 * @param {number} [chosen] who answers on it, where several people do
 */
export async function openPage(device, chosen) {
  const { root } = device;
  for (let turn = 0; ; turn += 1) {
    try {
      return await openOnce(device, chosen);
    } catch (error) {
      if (!(error instanceof NoConnection)) return refuse(root, error);
      await (turn === 0 ? pause(1) : offline(root));
    }
  }
}

/** @param {Device} device @param {number} [chosen] */
async function openOnce(device, chosen) {
  const { root } = device;
  const survey = await fetchSurvey();
  const address = addressHere(survey);
  const { closes, wave, words: wanted, round } = await fetchState(survey);
  if (document.querySelector("footer") === null) drawPage(root, survey, address);
  const here = isTrial(survey) ? asTrial(device) : device;
  const { storage, tab, randomness } = here;
  const people = peopleOn(storage);
  const meeting = round === null ? undefined : joined(here, survey, round, deliver);
  const memoryHere = (/** @type {number} */ person) =>
    survey.waves
      ? openMemoryInWave(storage, survey, person, wave)
      : survey.questions.some(({ statements }) => statements)
        ? withSpinners(storage, survey, person, tab)
        : openMemory(storage, survey, person);
  const memoryOf = (/** @type {number} */ person) =>
    survey.together ? byGroups(survey, memoryHere(person)) : memoryHere(person);
  const sessionOf = (/** @type {number} */ person) => ({
    root,
    wanted,
    closes,
    survey,
    storage,
    address,
    person,
    randomness,
    meeting,
    memory: meeting ? meeting.keeping(memoryOf(person)) : memoryOf(person),
    somebodyElse: () => void openFor(device, peopleOn(storage).length > 1 ? undefined : 2),
  });
  const person = chosen ?? meeting?.person ?? (people.length > 1 ? undefined : 1);
  const more = await sendWhatWaits(people.map(sessionOf), person);
  if (more) await openPage(device, chosen);
  else if (more === undefined && person) await ask(here, sessionOf(person));
  else if (more === undefined) {
    askWho(root, people, !meeting, (next) => void openFor(device, next));
  }
}

/**
 * Whoever comes first sends what waits, of everybody; what was refused, only the person whose it is.
 * @param {Session[]} sessions of everybody
 * @param {number} [person] who answers, if that is known
 * @returns {Promise<boolean | undefined>} whether there may be more to ask, since the survey was
 *   revised after a report was made; undefined if nothing waited
 */
async function sendWhatWaits(sessions, person) {
  let more;
  for (const session of sessions) {
    const { memory, survey } = session;
    const report = memory.report();
    if (!report || (memory.kept().outcome && session.person !== person)) continue;
    const outcome = await deliver(session, report);
    more ||= outcome === "stored" && report.revision !== survey.revision;
  }
  return more;
}

/** Ask a person what there is to ask. @param {Device} device @param {Session} session */
async function ask({ randomness }, session) {
  const { root, survey, memory, person } = session;
  await tellOfChange(root, survey, digitsIn(location.hash));
  const chance = drawAll(survey, randomness, memory.drawn());
  if (survey.token_keys) session.admission = admissionFor(session, chance.id);
  if (session.admission?.token) hideCode();
  if (chance.chosen.length > 0) memory.keepDrawn(chance.chosen);
  const due = memory.due(chance.asked);
  const instead = insteadOf(session, due);
  if (instead) return instead(session);
  if (session.meeting && !(await session.meeting.agrees(memory.price(due), person))) return;
  const questionnaire = new Questionnaire(session, chance, due);
  questionnaire.open();
  if (isTrial(survey)) leadTo(questionnaire, location.hash);
}

/**
 * Open the page for another person, from its top.
 * @param {Device} device
 * @param {number} [person]
 */
async function openFor(device, person) {
  await openPage(device, person);
  scrollTo(0, 0);
  const heading = device.root.querySelector("section[tabindex], h2[tabindex]");
  if (heading instanceof HTMLElement) heading.focus();
}
