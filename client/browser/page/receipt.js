/**
 * What stands below the news of a report.
 *
 * A receipt says in words what was sent, and holds the id of the report. So it is a file that a
 * person may save, and this device keeps none.
 */

import { isOver, isTrial } from "../core/memory.js";
import { keepsNoise } from "../core/questions.js";
import { forget, openStorage } from "../core/storage.js";
import { anotherPerson } from "./person.js";
import { element, folded, hint, paragraph, pressed } from "./dom.js";
import { clearScreen, forgetReceipts } from "./exit.js";
import { deletion, helpline, panel, results } from "./helpline.js";
import { sentUnasked } from "./followup.js";
import { reportInWords } from "./panels.js";
import { say, translated } from "./say.js";
import { afterTrial } from "./trial.js";
import { onceInEach, whatWavesKeep } from "./waves.js";
import { decode } from "./words.js";

/**
 * @param {Session} session
 * @param {NoisyReport} report
 * @param {Outcome} [outcome] what became of it, once that is known
 * @returns {HTMLElement[]}
 */
export function whatFollows(session, report, outcome) {
  const survey = translated(session.survey);
  const { meeting } = session;
  const stored = outcome === "stored";
  // Of another revision this page does not know the questions.
  const isKnown = report.revision === survey.revision;
  const clear = isOver(outcome)
    ? [
        pressed("clear", say("Clear the screen"), clearScreen),
        hint(say("The next person on this device will not see this page.")),
      ]
    : [];
  return [
    ...(stored && meeting ? meeting.after(session, report) : []),
    ...helpline(survey),
    ...(stored ? [...panel(survey), ...results(survey), ...deletion(survey)] : []),
    ...(stored && meeting ? [] : clear),
    ...(isKnown ? [whatIsSent(survey, report, outcome)] : []),
    ...(stored ? whatIsLeft(session, meeting ? clear : []) : []),
  ];
}

/**
 * How many answers were sent, and of how many chance decided: what was asked stands in the receipt,
 * which is closed, since somebody may look on.
 * @param {Session} session
 * @param {NoisyReport} report
 * @param {Outcome | undefined} outcome
 */
export function sentInShort({ survey: untranslated, meeting }, report, outcome) {
  const survey = translated(untranslated);
  if (outcome !== "stored" || meeting || report.revision !== survey.revision) return [];
  const all = new Set(decode(survey, report).flatMap(({ answers }) => answers ?? []));
  const mixed = [...all].filter(({ protection }) => protection !== "direct").length;
  if (mixed === 0) return [];
  return [
    paragraph(say("Answers sent: {all}. With chance mixed in: {mixed}.", { all: all.size, mixed })),
    ...(survey.questions.some(({ ask_if }) => ask_if) ? sentUnasked(survey) : []),
  ];
}

/**
 * What this device keeps, how to take it away, and the way on for somebody else.
 * @param {Session} session
 * @param {HTMLElement[]} clear in a class, where a phone has more to do first
 */
function whatIsLeft(session, clear) {
  if (isTrial(session.survey)) return [...clear, ...afterTrial(), ...anotherPerson(session)];
  const all = [...clear, ...whatIsKept(session), ...anotherPerson(session)];
  return all.length > 0 ? [folded("kept", say("This survey on this device"), all)] : [];
}

/**
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 * @param {Outcome | undefined} outcome
 */
function whatIsSent(survey, report, outcome) {
  const sent = outcome === "stored";
  const words = reportInWords(survey, report, sent);
  const name = sent ? say("Your receipt") : say("What is sent, in words");
  const part = folded("receipt", name, [words]);
  if (!sent) return part;
  // The name says nothing of the survey: browsers keep a list of what was saved.
  const link = element("a", { download: "receipt.txt" }, say("Save your receipt as a file"));
  part.addEventListener("toggle", () => {
    forgetReceipts();
    // Some programs take a text without this mark for one in an older alphabet.
    const file = ["\ufeff", survey.title, "\n\n", words.innerText];
    if (part.open) link.href = URL.createObjectURL(new Blob(file));
  });
  part.append(element("p", { class: "ways" }, link), hint(say("This browser does not keep it.")));
  return part;
}

/** @param {Session} session */
function whatIsKept({ survey, memory, meeting, person }) {
  if (!memory.works) return [];
  const forgetIt = () => {
    const storage = openStorage();
    if (storage) forget(storage, survey.survey, person);
    clearScreen();
  };
  const words = meeting
    ? meeting.kept()
    : say(
        "This browser remembers that this survey was answered here, and how much your reports can reveal. It keeps neither your answers nor what was sent.",
      );
  const once = say(
    "Please answer only once, in a private window too: two reports from you give away more than one.",
  );
  return [
    element("p", { class: "known" }, words),
    ...(keepsNoise(survey) ? [paragraph(whatWavesKeep())] : []),
    pressed("quiet forget", say("Delete what this browser keeps of this survey"), forgetIt),
    hint(keepsNoise(survey) ? onceInEach() : once),
  ];
}
