/**
 * The language of the page: asked for in the address, or the first of the person's own that there
 * is, and changed with the links at the top. Nobody is told of it: the server sends every language
 * to everybody, nothing is requested for one, a fragment never leaves the browser, and nothing is
 * kept.
 *
 * Pages that speak English only have nothing of it to do.
 */

import { element } from "./dom.js";
import { redraw, say, speak } from "./say.js";
import { inSpokenLanguage } from "./translation.js";

/** Speak as the page does, and follow those who choose another language. */
export function findLanguage() {
  /** @type {HTMLElement[]} all of the page in each language, if there are several */
  const pages = [...document.querySelectorAll("div.language")].filter(
    (page) => page instanceof HTMLElement,
  );
  if (pages.length === 0) {
    speakBefore();
    return;
  }
  /** @type {HTMLElement | undefined} */
  let shown;
  /** What the address ends with, once somebody has chosen. */
  let address = "";
  /** Show the page in the language that is asked for, at the same place of the way. */
  const choose = () => {
    const asked = pages.find(({ lang }) => lang === askedIn(location.hash));
    if (asked) address = location.hash;
    const next = asked ?? shown ?? ownLanguage(pages) ?? pages[0];
    if (next === shown) return;
    shown = next;
    speakAs(next);
    showPage(next);
  };
  choose();
  window.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest(".languages [lang]");
    if (!(link instanceof HTMLElement)) return;
    event.preventDefault();
    // The link's check number stays, and its code: whoever reloads the page needs them again.
    const rest = location.hash.split(/[#&]/).filter((part) => !part.startsWith("lang="));
    const asked = `#lang=${link.lang}`;
    history.replaceState(history.state, "", [asked, ...rest.filter(Boolean)].join("&"));
    choose();
    // Under way the list is closed again.
    const current = shown?.querySelector("details:not([open]) summary, [aria-current]");
    if (current instanceof HTMLElement) current.focus();
  });
  window.addEventListener("popstate", () => {
    // An address that was typed, or another page of the way, which is to be in the same language.
    if (history.state === null) choose();
    else if (address) history.replaceState(history.state, "", address);
  });
}

/** The language that a link asks for, also as `lang=DE` or `lang=de-CH`. @param {string} hash */
export const askedIn = (hash) => /[#&?;]lang=([a-z]+)/i.exec(hash)?.[1].toLowerCase() ?? "";

/** Speak as the page does; a page of questions, before it has a language, as the person may. */
function speakBefore() {
  const { documentElement: page } = document;
  if (document.getElementById("page-survey")) {
    const own = navigator.languages.map((tag) => tag.split("-")[0]);
    page.lang = [askedIn(location.hash), ...own].find((lang) => Object.hasOwn(WORDS, lang)) ?? "en";
    document.dir = WORDS[page.lang].direction;
  }
  speakAs({ id: "", lang: page.lang });
}

/** @param {{id: string, lang: string}} page */
export function speakAs({ id, lang }) {
  const find = (/** @type {string} */ sentence) =>
    lang === "en"
      ? undefined
      : WORDS[lang].sentences[WORDS.en.sentences.indexOf(sentenceKey(sentence))];
  speak(find, lang, inSpokenLanguage, id && `#${id}`);
}

/** What stands for an English sentence, which the program holds already. @param {string} sentence */
export const sentenceKey = (sentence) =>
  [...sentence]
    .reduce((key, letter) => (key * 31 + Number(letter.codePointAt(0))) % 0xfffffd, 0)
    .toString(16);

/**
 * Run something once for each language, while it is spoken; then whoever reads hears their own.
 * @param {string[]} languages
 * @param {(language: string) => void} draw
 */
export function inEach(languages, draw) {
  const several = languages.length > 1;
  for (const lang of languages) {
    speakAs({ id: several ? `lang=${lang}` : "", lang });
    draw(lang);
  }
}

/** The page in the first of the person's languages that there is. @param {HTMLElement[]} pages */
function ownLanguage(pages) {
  return navigator.languages
    .map((tag) => pages.find(({ lang }) => lang === tag.split("-")[0]))
    .find(Boolean);
}

/** Show one of the pages, and what the program draws in it. @param {HTMLElement} page */
function showPage(page) {
  document.documentElement.lang = page.lang;
  document.dir = page.dir;
  const heading = page.querySelector("main:not([data-page=survey]) h1");
  // The tab and the browser's history show no survey's title.
  document.title = heading?.textContent ?? say("Survey");
  // What the program draws in goes with the person from language to language.
  const root = document.querySelector("#page-survey, #ledger, #meeting");
  // What was opened stays open.
  const opened = [...(root?.querySelectorAll("details") ?? [])].map(({ open }) => open);
  const main = page.querySelector("main");
  const empty = main?.querySelector("[data-program]");
  if (root && empty && empty !== root) {
    // In the language that was left, it has a place to come back to.
    root.replaceWith(element("div", { "data-program": true }));
    empty.replaceWith(root);
  }
  document.body.replaceChildren(page);
  redraw(copyAnswers);
  root?.querySelectorAll("details").forEach((part, place) => (part.open = opened[place]));
}

/**
 * Answer the same in the same question in another language. The inputs are told of it, as if a
 * person had answered, since some of them follow one another. They are paired by their ids: some stand
 * on one side alone, such as the slider of a guess.
 * @param {HTMLElement[]} from
 * @param {HTMLElement[]} to
 */
function copyAnswers(from, to) {
  const inputsIn = (/** @type {HTMLElement[]} */ fields) =>
    fields.flatMap((field) => [...field.querySelectorAll("input")]);
  const inputs = new Map(inputsIn(to).map((input) => [input.id, input]));
  for (const { id, type, checked, value } of inputsIn(from)) {
    const input = id && inputs.get(id);
    if (!input || !(checked || (type === "text" && value))) continue;
    Object.assign(input, { checked, value });
    for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
  }
}
