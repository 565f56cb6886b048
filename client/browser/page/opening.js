/**
 * The first screen: above the button what people need before they begin, below it why it is safe.
 */

import { isOfNumbers } from "../core/questions.js";
import { checkNumber } from "./changed.js";
import { element, folded, inParagraphs, linked, paragraph, points } from "./dom.js";
import { hundredPeople, pathOfAnAnswer } from "./pictures.js";
import { whatWasDrawn } from "./subset.js";
import { sentAsOne } from "./together.js";
import { theAverage } from "./number.js";
import { deletion, helpline, labelled, results } from "./helpline.js";
import { say } from "./say.js";
import { spinnerPath } from "./statement.js";
import { besideThem, implication, sureness } from "./sureness.js";
import { leastProtected, ofHundred, randomisedItems, statementsOf } from "./trust.js";
import { askedOf, tryOut } from "./tryout.js";
import {
  cannotBeWithdrawn,
  namesOf,
  sentOf,
  unchanged,
  unprotected,
  whenItIsSeen,
} from "./words.js";

/** Questions of so many letters together are named above the button: they fit on its one line. */
const NAMED = 28;

/**
 * What stands above the button: where an answer stays and what leaves, and how sure somebody could
 * get. No more, so that it is read.
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries what this person is asked
 * @param {string[]} lines of this visit, such as which wave it is
 * @param {Memory} memory what this browser lets the page remember
 */
export function aboveStart(survey, entries, lines, { works, wave }) {
  return [
    element(
      "section",
      { "aria-label": say("What happens to your answers"), tabindex: "-1" },
      ...inParagraphs(lines, "round"),
      ...(randomisedItems(survey).length > 0 ? [pathOf(survey)] : []),
      ...verdict(survey, entries, wave),
      ...(works ? [] : [element("p", { class: "verdict warning" }, forgetful())]),
    ),
  ];
}

/**
 * What stands below it: who helps, and all the rest behind one line.
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries what this person is asked
 * @param {WaveNotes | undefined} waveNotes
 */
export function belowStart(survey, entries, waveNotes) {
  const { introduction, about } = survey;
  const told = about?.purpose ? introduction.split("\n").filter(Boolean) : [];
  const isMixed = randomisedItems(survey).length > 0;
  const question = isMixed ? say("How does this protect me?") : say("What is not protected?");
  return [
    ...helpline(survey),
    folded("protects", question, [
      ...inParagraphs(told, "introduction"),
      inPoints(facts(survey, waveNotes?.lines)),
      ...howSureInFull(survey, entries, waveNotes),
      ...crowds(survey),
      ...tryOut(survey),
      sectionOf("limits", say("What we cannot hide"), [inPoints(limits(survey))]),
      ...exitLine(),
      sectionOf("asking", say("Who is asking"), whoIsAsking(survey)),
      checkNumber(survey),
    ]),
  ];
}

/** @param {string} kind @param {string} heading @param {(Node | string)[]} content */
const sectionOf = (kind, heading, content) =>
  element("section", { class: kind }, element("h2", {}, heading), ...content);

/** @param {string[]} lines */
const inPoints = (lines) => element("ul", {}, ...points(lines));

/** @param {SurveyDocument} survey @param {string[]} [lines] which wave it is */
const facts = ({ about }, lines = []) => [
  ...lines,
  ...(about?.minutes ? [say("{minutes} min", { minutes: about.minutes })] : []),
  say("No name, no IP address stored"),
  say("Stop any time before sending"),
];

/**
 * How sure somebody could get, in a sentence; and whether some is not protected.
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 * @param {Memory["wave"]} wave
 */
function verdict(survey, entries, wave) {
  const found = sureness(survey, wave);
  if (!found) return inParagraphs(implication(survey), "implication");
  const direct = unprotected(entries);
  const all = sentOf(entries).length;
  const count = say("{count} of {all} questions", { count: direct.length, all });
  const open = areFew(direct)
    ? [unchanged(namesOf(direct))]
    : [linked(unchanged(count), nameUnprotected)];
  return [
    ...found.inShort.map(coloured),
    ...(direct.length > 0 ? [element("p", { class: "verdict open" }, ...open)] : []),
  ];
}

/** Open the panel at the questions that are not protected. */
function nameUnprotected() {
  const given = /** @type {HTMLElement} */ (document.querySelector(".protects .given"));
  given.closest("details")?.setAttribute("open", "");
  given.focus();
}

/** @param {Told} line */
const coloured = ({ text, colour }) =>
  element("p", { class: "verdict", "data-colour": colour }, text);

/** Whether their names fit on a line in the first language: in all of them the line says the same. @param {Entry[]} entries */
const areFew = (entries) =>
  entries.map(({ question: { text, first = text } }) => first).join("....").length <= NAMED;

/** Where an answer stays, and what leaves. @param {SurveyDocument} survey */
function pathOf(survey) {
  const isSpun = randomisedItems(survey).every((item) => statementsOf(survey, item));
  const steps = isSpun
    ? spinnerPath()
    : [say("Your answer"), say("Chance may change it"), say("What is sent")];
  return element(
    "figure",
    { class: "path" },
    pathOfAnAnswer(isSpun),
    element("ol", {}, ...points(steps)),
    element("figcaption", {}, whatIsLearned(survey)),
  );
}

/**
 * What is learned in spite of chance: of numbers their mean. Where a report comes close to proof,
 * it is not said that it tells nobody who.
 * @param {SurveyDocument} survey
 */
function whatIsLearned(survey) {
  const mixed = survey.questions.filter(({ protection }) => protection !== "direct");
  if (mixed.every(isOfNumbers)) return theAverage();
  return sureness(survey)?.tier === "close to proof"
    ? say("From everyone together we learn how many.")
    : say("From everyone together we learn how many, not who.");
}

/**
 * Of each of the first two answers a hundred people, of whom some send the second.
 * @param {SurveyDocument} survey
 */
function crowds(survey) {
  const item = leastProtected(survey);
  if (!item) return [];
  const { truths, reports } = item;
  const report = reports[1].text;
  const figures = [0, 1].map((truth) => {
    const { count, words } = ofHundred(item, truth);
    const sent = inLarge(count, say("{count} of 100 send “{report}”", { count: "\0", report }));
    return element(
      "figure",
      {},
      element(
        "figcaption",
        {},
        say("If your answer is “{answer}”", { answer: truths[truth].text }),
      ),
      hundredPeople(count, words),
      paragraph(...sent),
    );
  });
  return [
    element(
      "section",
      { class: "panel", "aria-labelledby": "page-protection" },
      element("h2", { id: "page-protection" }, say("What chance does")),
      ...(survey.questions.length > 1 ? askedOf(survey, item) : []),
      element("div", { class: "pair" }, ...figures),
    ),
  ];
}

/**
 * A sentence with its number in large figures.
 * @param {number} count
 * @param {string} words with "\0" in its place
 */
function inLarge(count, words) {
  const [before, after] = words.split("\0");
  return [before, element("strong", { class: "large" }, String(count)), after];
}

const forgetful = () =>
  say(
    "This browser does not let the page remember what it sent. Answer only once. A second report would weaken your protection.",
  );

/** What the way out does, where the page has one. */
function exitLine() {
  const exit = document.querySelector(".exit");
  if (!(exit instanceof HTMLElement)) return [];
  const { hostname: site } = new URL(exit.dataset.site ?? "");
  const values = { leave: say("Leave quickly"), site };
  const words = say(
    "“{leave}” opens {site} and deletes what this page stored. Your browser’s history still shows this address. If someone might look there, use a private window, and answer only once.",
    values,
  );
  return [element("p", { class: "hint leaving" }, words)];
}

/**
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 * @param {WaveNotes | undefined} waveNotes
 */
function howSureInFull(survey, entries, waveNotes) {
  const found = sureness(survey, waveNotes?.here);
  if (!found) return [];
  const once = say("No question is sent twice, so that nobody can average the chance away.");
  const direct = unprotected(entries);
  const content = [
    ...[...found.bounds, ...found.changes].map(coloured),
    ...(direct.length > 0
      ? [
          element(
            "p",
            { class: "verdict given", tabindex: "-1" },
            `${unchanged(namesOf(direct))} ${besideThem()}`,
          ),
        ]
      : []),
    element("p", { class: "verdict" }, waveNotes?.back ?? once),
  ];
  return [sectionOf("sure", say("How sure could anyone be?"), content)];
}

/** @param {SurveyDocument} survey */
function whoIsAsking(survey) {
  const { organisation, contact, contact_link, approval, complaints, complaints_link } =
    survey.about ?? {};
  const nobody = say("The survey does not say. Ask the person who gave you the link.");
  const who = organisation || (contact ? "" : nobody);
  return [
    ...(who ? [paragraph(who)] : []),
    ...labelled("contact", say("Questions about this survey:"), contact, contact_link),
    ...labelled("approval", say("Approved by:"), approval, ""),
    ...labelled("complaints", say("Complaints:"), complaints, complaints_link),
    ...results(survey),
    ...deletion(survey),
  ];
}

/** @param {SurveyDocument} survey */
function limits(survey) {
  return [
    cannotBeWithdrawn(),
    say("The server can see that someone took part. So can anyone who watches your connection."),
    say(
      "The people who run this site could send your browser a different program from the published one.",
    ),
    say("Someone who controls your device can see what you answer."),
    ...whenItIsSeen(survey),
    ...(survey.ask ? [whatWasDrawn(survey.ask, survey)] : []),
    ...(survey.together ?? []).map((group) => sentAsOne(survey, group)),
  ];
}
