/**
 * What stands around the questions, in each language of the survey: its name and introduction, the
 * way out, the languages, and what is below.
 *
 * The page itself comes without a word of the survey, so that anybody can tell whether it is the
 * released one. It holds no link: a browser can be told to fetch what a link leads to, when a box is
 * ticked.
 */

import { element, inParagraphs, leading, linked, paragraph } from "./dom.js";
import { findLanguage, inEach } from "./language.js";
import { fragment, locale, say, translated } from "./say.js";

/** Said of a survey that cannot be left quickly. */
const NO_EXIT = "none";

/**
 * Draw the page in place of what it came with.
 * @param {HTMLElement} root where the questions go
 * @param {SurveyDocument} survey
 * @param {string} address
 */
export function drawPage(root, survey, address) {
  const { languages = ["en"], exit = siteHere() } = survey;
  const several = languages.length > 1;
  const site = exit === NO_EXIT ? "" : exit;
  /** @type {HTMLElement[]} */
  const pages = [];
  const draw = (/** @type {string} */ lang) => {
    const told = translated(survey);
    const place = pages.length > 0 ? element("div", { "data-program": true }) : root;
    const content = element("main", { id: `page-content${several ? `-${lang}` : ""}` });
    content.dataset.page = "survey";
    content.append(...introduction(told), place);
    const top = [
      linked(say("Skip to the questions"), () => skipTo(content), { class: "link skip" }),
      ...inSight(site, survey),
    ];
    const footer = element("footer", {}, below(address));
    const header = element("header", { class: "top" }, ...top);
    if (!several) {
      document.documentElement.lang = lang;
      document.title = say("Survey");
      if (typeof WORDS !== "undefined") document.dir = WORDS[lang].direction;
      pages.push(header, content, footer);
      return;
    }
    const dir = WORDS[lang].direction;
    const attributes = { class: "language", id: `lang=${lang}`, lang, dir };
    pages.push(element("div", attributes, header, content, footer));
  };
  if (typeof WORDS === "undefined") draw("en");
  else inEach(languages, draw);
  const { colour } = survey.about ?? {};
  if (colour) document.documentElement.style.setProperty("--institution", colour);
  document.body.replaceChildren(...pages);
  if (several) findLanguage();
}

/** @param {HTMLElement} content which has the focus this once */
function skipTo(content) {
  content.tabIndex = -1;
  content.addEventListener("blur", () => content.removeAttribute("tabindex"), { once: true });
  content.focus();
}

/** Where the way out leads, by the page as it came. */
function siteHere() {
  const exit = document.querySelector(".exit");
  return exit instanceof HTMLElement ? (exit.dataset.site ?? "") : "";
}

/**
 * What stays in sight: "Leave quickly", which page/leave.js listens to, and the languages.
 * @param {string} site @param {SurveyDocument} survey
 */
function inSight(site, { survey, languages = [] }) {
  const attributes = { type: "button", class: "exit", "data-site": site, "data-survey": survey };
  const hint = element("span", { class: "small" }, say("or press Esc three times"));
  const parts = [
    ...(site ? [element("button", attributes, say("Leave quickly")), " ", hint] : []),
    ...(languages.length > 1 ? [languageChooser(languages)] : []),
  ];
  return parts.length > 0 ? [element("div", { class: "leave" }, ...parts)] : [];
}

/** @param {string[]} languages */
function languageChooser(languages) {
  const choices = languages.map((lang) => {
    const { name, direction: dir } = WORDS[lang];
    const current = lang === locale() && { "aria-current": "true" };
    const attributes = { type: "button", role: "link", class: "link", lang, dir, ...current };
    return element("li", {}, element("button", attributes, name));
  });
  const summary = element("summary", {}, WORDS[locale()].name);
  const folded = element("details", {}, summary, element("ul", {}, ...choices));
  return element("nav", { class: "languages", "aria-label": say("Language") }, folded);
}

/** @param {SurveyDocument} told */
function introduction({ title, about = {}, introduction: text }) {
  const { organisation, purpose, logo } = about;
  // What is left of the line ends of a folded text divides its paragraphs.
  const paragraphs = text.split("\n").filter(Boolean);
  return [
    ...(logo ? [element("img", { class: "logo", src: logo, alt: "" })] : []),
    ...(organisation ? [element("p", { class: "asker" }, organisation)] : []),
    element("h1", {}, title),
    ...(purpose
      ? [element("p", { class: "purpose" }, purpose)]
      : inParagraphs(paragraphs, "introduction")),
  ];
}

/** @param {string} address */
const below = (address) =>
  paragraph(
    leading(say("Your privacy in this survey"), `${address}privacy${fragment()}`),
    " ",
    leading(say("What this device remembers"), `/device${fragment()}`),
  );
