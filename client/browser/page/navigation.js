/**
 * The way through a survey: what stands on which page, where somebody is, and where they go on.
 * Nothing here touches the page.
 */

/** Where everybody begins. @type {View} */
export const START = { place: 0 };

/**
 * A page to begin with and one for each question; or everything on one, as in a meeting. No page says in its title
 * what it asks: browsers keep titles.
 * @param {SurveyDocument} survey
 * @param {Entry[]} entries
 * @returns {Entry[][]}
 */
export function pagesOf(survey, entries) {
  const { pages = survey.kind === "meeting" ? "one" : "each" } = survey;
  if (pages === "one") return [entries];
  return [[], ...entries.filter(({ control }) => control).map((entry) => [entry])];
}

/**
 * Whether nothing on a page applies.
 * @param {Entry[] | undefined} page none of the review
 * @param {Set<Entry>} skipped
 */
function isSkipped(page = [], skipped) {
  return page.length > 0 && page.every((entry) => skipped.has(entry));
}

/**
 * Where an answer is changed, before the review is shown again.
 * @param {Entry[][]} pages
 * @param {Entry} entry
 * @returns {View}
 */
export function toChange(pages, entry) {
  return { place: pages.findIndex((page) => page.includes(entry)), entry };
}

/**
 * Where somebody comes who wants to go to a view.
 * @param {Entry[][]} pages
 * @param {View} view
 * @param {Reading} reading
 * @returns {View | undefined} nothing where nothing on it applies
 */
export function arriveAt(pages, view, { skipped, mistakes }) {
  if (isSkipped(pages[view.place], skipped)) return undefined;
  // Somebody took an answer away, or gave another one, after which there is more to ask.
  const missing = view.place === pages.length ? mistakes[0]?.entry : undefined;
  return missing ? toChange(pages, missing) : view;
}

/**
 * Where the button leads from a page.
 * @param {Entry[][]} pages
 * @param {View} view
 * @param {Reading} reading
 * @param {boolean} between whether something has to be agreed to or understood first
 * @returns {View}
 */
export function goOn(pages, view, { skipped }, between) {
  if (between && view.place === 0 && !view.clear) return { place: 0, clear: true };
  let place = view.entry ? pages.length : view.place + 1;
  while (isSkipped(pages[place], skipped)) place += 1;
  return { place };
}

/**
 * What is missing on a page.
 * @param {Entry[] | undefined} page undefined for the review, where all of them count
 * @param {Reading} reading
 */
export function mistakesOn(page, { mistakes }) {
  return mistakes.filter(({ entry }) => page?.includes(entry) ?? true);
}

/**
 * What is on the screen.
 * @param {Entry[][]} pages
 * @param {View} view
 * @param {Reading} reading
 * @returns {Scene}
 */
export function sceneOf(pages, view, { skipped }) {
  const page = pages[view.place];
  if (page === undefined) return { shows: "review", entries: [], button: "send", back: true };
  if (view.clear) return { shows: "clear", entries: [], button: "continue", back: true };
  const first = view.place === 0;
  return {
    shows: "questions",
    entries: page,
    button: first && page.length === 0 ? "start" : "continue",
    back: !first,
    progress: first ? undefined : progressAt(pages, view.place, skipped),
  };
}

/**
 * How far somebody has come, where there is a way.
 * @param {Entry[][]} pages
 * @param {number} place
 * @param {Set<Entry>} skipped
 */
function progressAt(pages, place, skipped) {
  // What was skipped does not count; what is yet to come does, as it may apply.
  const passed = pages.slice(0, place).filter((page) => isSkipped(page, skipped)).length;
  const of = pages.length - 1 - passed;
  return of > 1 ? { number: place - passed, of } : undefined;
}
