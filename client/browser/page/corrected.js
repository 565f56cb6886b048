/** Which words of a survey were corrected since a link was made. */

import { element } from "./dom.js";
import { locale, say, translated } from "./say.js";

/** By their place, as they read then and now. @param {SurveyDocument} survey @param {SurveyDocument} before */
export function toldCorrections(survey, before) {
  const [now, then] = [survey, before].map((one) => textsOf(translated(one)));
  const isRead = (before.languages ?? ["en"]).includes(locale());
  const differing = [...now].filter(([place, text]) => isRead && then.get(place) !== text);
  const lines = differing.flatMap(([place, text]) => [
    element("dt", {}, place),
    ...reading("del", then.get(place), text),
    ...reading("ins", text, then.get(place)),
  ]);
  return [
    lines.length > 0 ? element("dl", {}, ...lines) : element("p", {}, say("In another language")),
    element("p", {}, say("No chance changed.")),
  ];
}

/**
 * A text, unless it is a picture, with a mark on the words in which it differs from another.
 * @param {"del" | "ins"} tag @param {string} [text] @param {string} [other]
 */
function reading(tag, text = "", other = "") {
  if (text === "" || text.startsWith("data:")) return [];
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

/** All texts, by where they stand. @param {SurveyDocument} survey @returns {Map<string, string>} */
function textsOf({ title, introduction, about = {}, questions }) {
  const found = new Map([
    [say("Title"), title],
    [say("Introduction"), introduction],
  ]);
  const { purpose = "", help = "", logo } = about;
  found
    .set(say("Purpose"), purpose)
    .set(say("Help"), help)
    .set(say("Picture"), logo ?? "");
  questions.forEach(({ text, hint, answers, rows, statements = [] }, at) => {
    const place = say("Question {number}", { number: at + 1 });
    found.set(place, text).set(say("{place}, hint", { place }), hint);
    for (const { code, text: own } of [...answers, ...rows, ...statements]) {
      found.set(`${place}, ${code}`, own);
    }
  });
  return found;
}
