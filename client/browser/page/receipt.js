/**
 * What stands below the news of a report.
 *
 * A receipt says in words what was sent, and holds the id of the report. So it is a file that a
 * person may save, and this device keeps none.
 */

import { isOver, isTrial } from "../core/memory.js";
import { forget, openStorage } from "../core/storage.js";
import { anotherPerson } from "./person.js";
import { element, folded, pressed } from "./dom.js";
import { clearScreen, forgetReceipts } from "./exit.js";
import { deletion, helpline, panel, results } from "./helpline.js";
import { reportTable } from "./panels.js";
import { say, translated } from "./say.js";
import { afterTrial } from "./trial.js";
import { whatWavesKeep } from "./waves.js";

/**
 * @param {Session} session
 * @param {NoisyReport} report
 * @param {Outcome} [outcome] what became of it, once that is known
 * @returns {HTMLElement[]}
 */
export function whatFollows(session, report, outcome) {
  const survey = translated(session.survey);
  return [
    ...(outcome === "stored" && session.meeting ? session.meeting.after(session, report) : []),
    ...helpline(survey),
    ...(outcome === "stored" ? [...panel(survey), ...results(survey), ...deletion(survey)] : []),
    // Of another revision this page does not know the questions.
    ...(report.revision === survey.revision ? [whatIsSent(survey, report, outcome)] : []),
    ...whatIsLeft(session, outcome),
    ...(outcome === "stored" || outcome === "refused" ? anotherPerson(session) : []),
  ];
}

/**
 * What this device keeps, and how to take it away. In a class a phone has more to do, so it is folded.
 * @param {Session} session
 * @param {Outcome} [outcome]
 */
function whatIsLeft(session, outcome) {
  // First what harms nobody: to forget that one has answered does not go on from here.
  const clear = isOver(outcome) ? [pressed("clear", say("Clear the screen"), clearScreen)] : [];
  if (outcome !== "stored") return clear;
  const left = [...clear, ...(isTrial(session.survey) ? afterTrial() : whatIsKept(session))];
  return session.meeting ? [folded("kept", say("What this device remembers"), left)] : left;
}

/**
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 * @param {Outcome | undefined} outcome
 */
function whatIsSent(survey, report, outcome) {
  const sent = outcome === "stored";
  const table = reportTable(survey, report, sent);
  const name = sent ? say("Your receipt: what was sent, in words") : say("What is sent, in words");
  const part = folded("receipt", name, [table]);
  if (!sent) return part;
  // The name says nothing of the survey: browsers keep a list of what was saved.
  const link = element("a", { download: "receipt.txt" }, say("Save your receipt as a file"));
  part.addEventListener("toggle", () => {
    forgetReceipts();
    // Some programs take a text without this mark for one in an older alphabet.
    const file = ["\ufeff", survey.title, "\n\n", table.innerText];
    if (part.open) link.href = URL.createObjectURL(new Blob(file));
  });
  part.append(
    element("p", { class: "ways" }, link),
    element("p", { class: "hint" }, say("This browser does not keep it.")),
  );
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
  const again = say("If you answer again after that, you reveal more.");
  const traceless = say(
    "Nothing of this stays if you use a private window. Then answer once only.",
  );
  return [
    element("p", { class: "known" }, words),
    ...(survey.waves ? [element("p", {}, whatWavesKeep())] : []),
    pressed("quiet forget", say("Forget that, and clear the screen"), forgetIt),
    element("p", { class: "hint" }, again, " ", traceless),
  ];
}
