/**
 * The respondent's page, from the first check to the receipt.
 *
 * The order is the promise: fetch what is asked, check ε on this device, draw all chance, ask,
 * randomise, keep the noise, send it. Whatever fails leaves a page that can send nothing and says why.
 */

import { drawAll } from "../core/chance.js";
import { fetchSurvey } from "../core/fetching.js";
import { openMemory } from "../core/memory.js";
import { inWave } from "../core/panel.js";
import { digitsIn, tellOfChange } from "./changed.js";
import { alreadyAnswered, deliver } from "./delivery.js";
import { Questionnaire } from "./questionnaire.js";
import { refuse } from "./refuse.js";
import { showAnswered } from "./waves.js";

/**
 * Open the page.
 *
 * @param {Device} device
 */
export async function openPage({ root, randomness, storage }) {
  const address = root.dataset.survey ?? "";
  try {
    const survey = await fetchSurvey(address);
    const named = digitsIn(location.hash);
    if (!survey.revision.startsWith(named)) await tellOfChange(root, named, survey.revision);
    const plain = openMemory(storage, survey);
    const memory = survey.waves ? inWave(plain, storage, survey, Number(root.dataset.wave)) : plain;
    const kept = memory.report();
    if (kept) {
      await deliver({ root, survey, address, memory }, kept, alreadyAnswered);
    } else if (memory.answered()) {
      showAnswered(root);
    } else {
      const chance = drawAll(survey, randomness, memory.drawn());
      if (chance.chosen.length > 0) memory.keepDrawn(chance.chosen);
      new Questionnaire({ root, survey, address, memory }, chance).open();
    }
  } catch (error) {
    refuse(root, error);
  }
}
