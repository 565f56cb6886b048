/** Which words of a survey were corrected since a link was made. */

import { locale, say, translated } from "./say.js";

/** In a line each. @param {SurveyDocument} survey @param {SurveyDocument} before as it read then */
export function toldCorrections(survey, before) {
  const [now, then] = [survey, before].map((one) => textsOf(translated(one)));
  const isRead = (before.languages ?? ["en"]).includes(locale());
  const differing = [...now].filter(([place, text]) => isRead && then.get(place) !== text);
  const lines = differing.map(([place, text]) =>
    text.startsWith("data:") ? place : `${place}: ${then.get(place)} → ${text}`,
  );
  return [...(lines.length > 0 ? lines : [say("In another language")]), say("No chance changed.")];
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
