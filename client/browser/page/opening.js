/**
 * The first screen: what people want to know before they begin, and closed below the button more.
 */

import { whoSeesReports } from "./board.js";
import { element, folded } from "./dom.js";
import { howSure, hundredPeople } from "./pictures.js";
import { whatWasDrawn } from "./subset.js";
import { deletion, helpline, labelled } from "./helpline.js";
import { say } from "./say.js";
import { spinnerSteps } from "./statement.js";
import { implication, protectedAnswers, sureness } from "./sureness.js";
import {
  leastProtected,
  ofHundred,
  randomisedItems,
  statementsOf,
  whatChanceDoes,
} from "./trust.js";
import { tryOut } from "./tryout.js";
import { cannotBeWithdrawn, howManyAreAsGiven, whenItIsSeen } from "./words.js";

/**
 * What stands above the button.
 * @param {SurveyDocument} survey
 * @param {string[]} lines of this visit, such as which wave it is
 * @param {boolean} remembers whether this browser lets the page remember the noise
 */
export function aboveStart(survey, lines, remembers) {
  return [
    facts(survey),
    element(
      "section",
      { class: "panel", "aria-labelledby": "page-protection" },
      ...protection(survey),
      ...lines.map((text) => element("p", { class: "round" }, text)),
      ...(remembers ? [] : [element("p", { class: "warning" }, forgetful())]),
    ),
  ];
}

/**
 * What stands below it, the rest of it closed.
 * @param {SurveyDocument} survey
 * @param {WaveNotes | undefined} waveNotes
 */
export function belowStart(survey, waveNotes) {
  return [
    ...exitLine(),
    ...helpline(survey),
    ...tryOut(survey),
    ...howSureInFull(survey, waveNotes),
    folded("asking", say("Who is asking"), whoIsAsking(survey)),
    folded("limits", say("What we cannot hide"), [element("ul", {}, ...limits(survey))]),
  ];
}

/** @param {SurveyDocument} survey */
function facts({ about, publish }) {
  const benefits = [
    ...(about?.minutes ? [say("{minutes} min", { minutes: about.minutes })] : []),
    say("No name"),
    say("Stop any time before sending"),
    say("No answer saved"),
  ];
  const warnings = [
    say("Leave or reload to start again."),
    ...(publish === undefined ? [] : [whoSeesReports()]),
  ];
  return element(
    "ul",
    { class: "facts" },
    ...benefits.map((text) => element("li", { class: "good" }, text)),
    ...warnings.map((text) => element("li", {}, text)),
  );
}

/**
 * What happens to the answers: how far they are protected, three steps, a hundred people.
 * @param {SurveyDocument} survey
 */
function protection(survey) {
  const found = sureness(survey);
  const item = leastProtected(survey);
  const [heading, ...rest] = headings(survey, found);
  return [
    element("h2", { id: "page-protection", tabindex: "-1" }, heading),
    ...rest.map((text) =>
      element("p", { class: "implication", "data-tier": found?.tier ?? false }, text),
    ),
    ...(found ? [steps(survey)] : []),
    ...(item ? [crowd(item)] : []),
  ];
}

/**
 * The heading, and what more has to be said at once.
 * @param {SurveyDocument} survey
 * @param {Sureness | undefined} found
 */
function headings(survey, found) {
  if (!found) return [say("What happens to your answers"), ...implication(survey)];
  const { tier, sentences } = found;
  const direct = directOf(survey).length;
  const sentAsGiven = direct ? [howManyAreAsGiven(direct, direct + protectedAnswers(survey))] : [];
  if (tier !== "unsure" || direct) return [...sentences.slice(0, 2), ...sentAsGiven];
  const report = leastProtected(survey)?.reports[1].text;
  return [
    report ? say("A “{report}” from you is no proof", { report }) : say("Your report is no proof"),
  ];
}

/** @param {SurveyDocument} survey */
function steps(survey) {
  const lines = randomisedItems(survey).every((item) => statementsOf(survey, item))
    ? spinnerSteps()
    : [
        directOf(survey).length
          ? say("You answer on this device.")
          : say("Only this device learns your answer."),
        whatChanceDoes(survey),
        say("Only the result is sent."),
      ];
  return element("ol", { class: "steps" }, ...lines.map((text) => element("li", {}, text)));
}

/**
 * A hundred people of the first answer, of whom some send the second; and those of the second.
 * @param {Item} item
 */
function crowd(item) {
  const [first, second] = [0, 1].map((truth) => ofHundred(item, truth));
  const report = item.reports[1].text;
  return element(
    "figure",
    { class: "crowd" },
    hundredPeople(first.count, first.words),
    element(
      "figcaption",
      {},
      ...[first, second].flatMap(({ count }, truth) => [
        element("p", {}, say("True answer: {answer}", { answer: item.truths[truth].text })),
        element(
          "p",
          {},
          ...inLarge(count, say("{count} of 100 send “{report}”", { count: "\0", report })),
        ),
      ]),
    ),
  );
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
  const exit = document.querySelector("a.exit");
  if (!(exit instanceof HTMLAnchorElement)) return [];
  const values = { leave: exit.textContent ?? "", site: exit.hostname };
  const words = say(
    "“{leave}” shows {site} and forgets what this page kept. Your browser’s history still lists this address. If others look there, use a private window, and then answer once only. If you answer again after leaving, you reveal more.",
    values,
  );
  return [element("p", { class: "hint leaving" }, words)];
}

/**
 * @param {SurveyDocument} survey
 * @param {WaveNotes | undefined} waveNotes
 */
function howSureInFull(survey, waveNotes) {
  const pictures = howSure(survey);
  if (pictures.length === 0) return [];
  const once = say("No question is sent twice, so that nobody can average the chance away.");
  const lines = [...implication(survey), waveNotes?.back ?? once];
  const content = [...pictures, ...lines.map((text) => element("p", {}, text))];
  return [folded("sure", say("How sure could anybody get?"), content)];
}

/** @param {SurveyDocument} survey */
function whoIsAsking(survey) {
  const { organisation, contact, contact_link } = survey.about ?? {};
  const nobody = say("The survey does not say. Ask whoever gave you the link.");
  const who = organisation || (contact ? "" : nobody);
  return [
    ...(who ? [element("p", {}, who)] : []),
    ...labelled("contact", say("Questions about this survey:"), contact, contact_link),
    ...deletion(survey),
  ];
}

/** @param {SurveyDocument} survey */
function limits(survey) {
  const lines = [
    cannotBeWithdrawn(),
    say("The server can see that someone took part. So can anyone who watches your connection."),
    say(
      "The people who run this site could send your browser a different program from the published one.",
    ),
    say("Someone who controls your device can see what you answer."),
    ...whenItIsSeen(survey),
    ...(survey.ask ? [whatWasDrawn(survey.ask, survey)] : []),
    ...directOf(survey).map(({ text }) =>
      say("Your answer to “{question}”: it is sent as you give it.", { question: text }),
    ),
  ];
  return lines.map((text) => element("li", {}, text));
}

/** What people are asked directly. @param {SurveyDocument} survey */
const directOf = ({ questions }) => questions.filter((one) => one.protection === "direct");
