/**
 * What this device keeps of each person who uses it: what was reported, and what it has cost. The
 * type `DeviceEntry` lists all of it.
 *
 * A report is kept until it has arrived, so that the same bytes are sent again. After that there are
 * marks of the questions that were reported, the ε that was spent, and how many answers had none: the
 * same whatever was answered.
 *
 * Where a survey asks only some of its questions, which ones were drawn is kept as soon as the page
 * opens, before anybody has answered: reloading until another question comes would spoil the sample.
 */

import { sha256 } from "./sha256.js";
import { canWrite, entriesIn, keyOf } from "./storage.js";

/** Above this many millionths of ε nothing is asked, until the person raises the limit. */
export const LIMIT = 10e6;

/** Blanks, and characters that only format, or for which nothing is drawn: also the empty braille and note. */
const INVISIBLE = /[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]+/gu;

/** Whether nothing is sent again. @param {Outcome} [is] @returns {is is "stored" | "closed" | "refused"} */
export const isOver = (is) => is === "stored" || is === "closed" || is === "refused";

/** Whether nothing is kept of it, as its document says. @param {SurveyDocument} survey */
export const isTrial = ({ kind }) => kind === "trial";

/**
 * The memory of this device for a survey and a person; one that remembers nothing where the browser
 * forbids it.
 * @param {Storage | undefined} storage @param {SurveyDocument} survey @param {number} person from 1
 * @param {number} [wave] from 1, of a survey that is asked in waves
 * @returns {Memory}
 */
export function openMemory(storage, survey, person, wave = 0) {
  const device = storage && canWrite(storage) ? storage : undefined;
  const key = keyOf(survey.survey, person);
  const marks = marksOf(survey);
  // A meeting calls all its questions alike; and a corrected word makes no other question.
  const ids = survey.parent ? [] : idsOf(survey);
  const worded = [...[survey, ...(survey.earlier ?? [])].map(marksOf), ids];
  const kept = () => readEntry(device, key);
  const write = (/** @type {DeviceEntry} */ more) =>
    device?.setItem(key, JSON.stringify({ ...kept(), ...more }));
  return {
    works: device !== undefined,
    kept,
    due: (asked) => {
      const { reported = {} } = kept();
      return asked.map((is, at) => is && !worded.some((own) => reported[own[at]] >= wave));
    },
    price: (due) =>
      survey.items.reduce(
        (sum, { epsilon }, place) => sum + (due[place] ? Math.round((epsilon ?? 0) * 1e6) : 0),
        0,
      ),
    ready: () => [],
    write,
    report: () => kept().unsent,
    keep: (report, due, price, more) => {
      const { reported, spent = 0, direct = 0 } = kept();
      const now = [marks, ids].flatMap((own) =>
        own.flatMap((mark, place) => (due[place] ? [[mark, wave]] : [])),
      );
      write({
        title: survey.title,
        address: survey.address,
        parent: survey.parent,
        reported: { ...reported, ...Object.fromEntries(now) },
        spent: spent + price,
        direct: direct + directIn(survey, due),
        unsent: report,
        outcome: undefined,
        ...more,
      });
    },
    settle: ({ id }, outcome) => {
      // Forgotten meanwhile, by the person or in another tab: then it stays so.
      if (kept().unsent?.id !== id || !isOver(outcome)) return;
      const gone = { unsent: undefined, outcome: undefined, words: undefined };
      write(outcome === "stored" ? gone : { outcome });
    },
    drawn: () => kept().drawn ?? [],
    keepDrawn: (drawn) => write({ drawn: [...new Set([...drawn, ...(kept().drawn ?? [])])] }),
  };
}

/** How many questions no ε bounds. @type {(survey: SurveyDocument, due: boolean[]) => number} */
const directIn = ({ items }, due) =>
  new Set(items.flatMap((one, at) => (due[at] && one.epsilon === null ? [one.question] : []))).size;

/** Empty where it is broken. @type {(storage: Storage | undefined, key: string) => DeviceEntry} */
export function readEntry(storage, key) {
  try {
    return Object(JSON.parse(storage?.getItem(key) ?? "{}"));
  } catch {
    return {};
  }
}

/**
 * What the protected answers of a person on this site have revealed, and the most that they allow.
 * @param {Storage | undefined} storage @param {number} person @param {number} [price] of one more
 */
export function accountOf(storage, person, price = 0) {
  const own = storage ? entriesIn(storage).filter((entry) => entry.person === person) : [];
  const total = own.reduce((sum, { key }) => sum + (readEntry(storage, key).spent ?? 0), price);
  const limit = readEntry(storage, keyOf("", person)).limit ?? LIMIT;
  // What no ε bounds is asked whatever was spent: it is marked as not protected.
  return { total, limit, isAbove: price > 0 && total > limit };
}

/** Those who use it: the first, and all who reported or have a limit. @param {Storage} [storage] */
export function peopleOn(storage) {
  const known = (storage ? entriesIn(storage) : []).filter(
    ({ key, survey }) => survey === "" || readEntry(storage, key).reported,
  );
  return [...new Set([1, ...known.map(({ person }) => person)])].sort((one, next) => one - next);
}

/**
 * Keep up to how many millionths of ε somebody is asked, whom the device knows from then on.
 * @param {Storage | undefined} storage @param {number} person @param {number} limit
 */
export function keepLimit(storage, person, limit) {
  if (storage && canWrite(storage)) {
    storage.setItem(keyOf("", person), JSON.stringify({ limit }));
  }
}

/**
 * Marks of a survey's questions, one an item: of all that a person reads of it. What nobody can see
 * makes it no other one, nor does asking it twice at once, or a server could have the same question
 * answered again and again.
 * @param {SurveyDocument} survey
 */
export const marksOf = ({ questions, items }) =>
  items.map(({ question, text, truths }) => {
    const asked = questions.find(({ id }) => id === question)?.text;
    return markOf([asked, text, truths.map((truth) => truth.text)]);
  });

/** By what else items are known again. @param {SurveyDocument} survey */
export const idsOf = ({ items }) => items.map(({ id }) => `#${id}`);

/** A text as people see it: an accent that an invisible one kept apart is one again. @param {string} text */
export const seen = (text) => text.normalize("NFKC").replace(INVISIBLE, "").normalize();

/**
 * A short mark: enough to tell questions apart. An attacker who made two alike would only have one
 * of them not answered.
 * @param {unknown} value
 */
export function markOf(value) {
  const read = JSON.stringify(value, (_key, text) =>
    typeof text === "string" ? seen(text) : text,
  );
  return sha256(read).slice(0, 16);
}
