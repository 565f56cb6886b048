/** Which words of a survey were corrected since a link was made. */

import { element, paragraph } from "./dom.js";
import { locale, say, translated } from "./say.js";

/** By their place, as they read then and now. @param {SurveyDocument} survey @param {SurveyDocument} before */
export function toldCorrections(survey, before) {
  const isRead = (before.languages ?? ["en"]).includes(locale());
  const lines = (isRead ? corrections(survey, before) : []).flatMap(([place, then, now]) => [
    element("dt", {}, place),
    ...reading("del", then, now),
    ...reading("ins", now, then),
  ]);
  return [
    lines.length > 0
      ? element("dl", {}, ...lines)
      : paragraph(say("Nothing was corrected in this language.")),
    paragraph(say("The chances stay the same.")),
  ];
}

/**
 * Each text that differs: what it is, as it was, and as it is. A picture shows neither.
 * @param {SurveyDocument} survey @param {SurveyDocument} before
 * @returns {[string, string, string][]}
 */
export function corrections(survey, before) {
  const then = new Map(textsOf(translated(before)).map(([key, , text]) => [key, text]));
  return textsOf(translated(survey)).flatMap(([key, place, text]) => {
    const old = then.get(key) ?? "";
    if (old === text) return [];
    return [key === "logo" ? [place, "", ""] : [place, old, text]];
  });
}

/**
 * A text, if there is one, with a mark on the words in which it differs from another.
 * @param {"del" | "ins"} tag @param {string} text @param {string} other
 */
function reading(tag, text, other) {
  if (text === "") return [];
  const [words, theirs] = [text, other].map((one) => one.split(/( )/));
  const least = Math.min(words.length, theirs.length);
  let [start, end] = [0, 0];
  while (start < least && words[start] === theirs[start]) start += 1;
  while (end < least - start && words.at(-1 - end) === theirs.at(-1 - end)) end += 1;
  const [before, own, after] = [
    words.slice(0, start),
    words.slice(start, words.length - end),
    words.slice(words.length - end),
  ].map((part) => part.join(""));
  return [element("dd", { dir: "auto" }, before, element(tag, {}, own), after)];
}

/**
 * All texts: where each stands, what people call that, and the text.
 * @param {SurveyDocument} survey @returns {[string, string, string][]}
 */
function textsOf({ title, introduction, about = {}, questions }) {
  const { purpose = "", help = "", logo = "" } = about;
  return [
    ["title", say("Title"), title],
    ["introduction", say("Introduction"), introduction],
    ["purpose", say("Purpose"), purpose],
    ["help", say("Help"), help],
    ["logo", say("Picture"), logo],
    ...questions.flatMap(({ id, text, hint, answers, rows, statements = [] }, at) => {
      const place = say("Question {number}", { number: at + 1 });
      /** @type {[string, string, string][]} */
      const found = [
        [`${id}/text`, place, text],
        [`${id}/hint`, say("{place}, hint", { place }), hint],
      ];
      for (const [kind, parts] of Object.entries({ answers, rows, statements })) {
        for (const { code, text: own } of parts) {
          found.push([`${id}/${kind}/${code}`, place, own]);
        }
      }
      return found;
    }),
  ];
}
