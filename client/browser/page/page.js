/**
 * The respondent's page, from the first check to the receipt.
 *
 * The order is the promise: fetch what is asked, check ε on this device, draw all chance, ask,
 * randomise, keep the noise, send it. Whatever fails leaves a page that can send nothing and says why.
 */

import { drawAll } from "../core/chance.js";
import { fetchSurvey } from "../core/fetching.js";
import { openMemory, readEntry } from "../core/memory.js";
import { inWave } from "../core/panel.js";
import { withSpinners } from "../core/statement.js";
import { keyOf } from "../core/storage.js";
import { keepToLimit, showAnswered } from "./answered.js";
import { digitsIn, tellOfChange } from "./changed.js";
import { deliver } from "./delivery.js";
import { Questionnaire } from "./questionnaire.js";
import { refuse } from "./refuse.js";

/**
 * Open the page.
 *
 * @param {Device} device
 * @param {number} [person] who answers on it
 */
export async function openPage(device, person = 1) {
  const { root, randomness, storage } = device;
  const address = root.dataset.survey ?? "";
  try {
    const survey = await fetchSurvey(address);
    const memory = survey.waves
      ? inWave(storage, survey, person, Number(root.dataset.wave))
      : survey.questions.some(({ statements }) => statements)
        ? withSpinners(storage, survey, person, window)
        : openMemory(storage, survey, person);
    const somebodyElse = () => void openPage(device, person + 1);
    const session = { root, survey, address, memory, somebodyElse };
    const waiting = memory.report();
    if (waiting) {
      const outcome = await deliver(session, waiting);
      // The survey was revised since it was made: there may be more to ask.
      if (outcome === "stored" && waiting.revision !== survey.revision) openPage(device, person);
      return;
    }
    if (!survey.revision.startsWith(digitsIn(location.hash))) await tellOfChange(root, survey);
    const chance = drawAll(survey, randomness, memory.drawn());
    if (chance.chosen.length > 0) memory.keepDrawn(chance.chosen);
    const due = memory.due(chance.asked);
    keepToLimit(storage, person, memory.price(due));
    const next = readEntry(storage, keyOf(survey.survey, person + 1));
    if (due.includes(true)) new Questionnaire(session, chance, due).open();
    // The next person's report waits to be sent.
    else if (next.unsent && !next.outcome) await openPage(device, person + 1);
    else showAnswered(session);
  } catch (error) {
    refuse(root, error);
  }
}
