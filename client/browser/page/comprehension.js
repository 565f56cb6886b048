/**
 * Two questions by which people can see whether they understood the protection: that a report is no
 * proof, and that a report which differs from the answer is no lie.
 *
 * They teach and test nothing: what is chosen is never read by anything but the sentence below it, is
 * kept and sent nowhere, and can be wrong or left out.
 */

import { radioGroup } from "./choices.js";
import { element, paragraph } from "./dom.js";
import { say } from "./say.js";
import { implication, sureness } from "./sureness.js";
import { leastProtected, ofHundred } from "./trust.js";

/**
 * @param {SurveyDocument} survey
 * @param {boolean} apart whether on a page of their own, otherwise in a panel to be opened
 * @returns none where nothing is randomised
 */
export function comprehension(survey, apart) {
  if (survey.items.every(({ epsilon }) => epsilon === null)) return;
  const parts = questions(survey).map(({ text, answers, right, why }, place) => {
    const group = radioGroup(`Clear${place}`, answers);
    const said = element("p", { role: "status" });
    group.element.addEventListener("change", () => {
      const verdict = group.value() === right ? say("Right.") : say("Not quite.");
      said.replaceChildren(element("strong", {}, verdict), ` ${why}`);
    });
    const legend = element("legend", {}, text);
    const part = element("fieldset", { class: "question" }, legend, group.element, said);
    return { part, group, said };
  });
  const title = say("Is it clear how you are protected?");
  const content = [
    paragraph(
      say(
        "These two questions are just for you. Your choices stay on this page, and nothing depends on them. You can choose again, or skip them.",
      ),
    ),
    ...parts.map(({ part }) => part),
  ];
  const reset = () =>
    parts.forEach(({ group, said }) => {
      group.reset();
      said.replaceChildren();
    });
  const field = apart
    ? element("div", {}, element("h2", { tabindex: "-1" }, title), ...content)
    : element("details", { class: "panel" }, element("summary", {}, title), ...content);
  return { field, apart, reset };
}

/** @param {SurveyDocument} survey */
function questions(survey) {
  const item = leastProtected(survey);
  const crowd = item && ofHundred(item, 0);
  const sure = sureness(survey);
  // A reply to a statement is no answer to the question.
  const named = item?.reports[1].text === item?.truths[1].text ? item : undefined;
  return [
    {
      text: named
        ? say(
            "Suppose that your report says “{report}” to a randomised question. Can someone who reads it be sure that your true answer is “{report}”?",
            { report: named.reports[1].text },
          )
        : say(
            "Can someone who reads your report be sure of your true answer to a randomised question?",
          ),
      answers: [
        say("Yes, the report proves it"),
        sure?.tier === "close to proof"
          ? say("No, but it comes close to proof")
          : say("No, the report may be the result of chance"),
      ],
      right: 1,
      why: [...(crowd?.count ? [crowd.words] : []), ...implication(survey)].join(" "),
    },
    {
      text: say(
        "Suppose that your report says something different from what you answered. Did you lie?",
      ),
      answers: [say("No, my browser added chance"), say("Yes, and I should correct it")],
      right: 0,
      why: say(
        "Your browser mixes chance into each randomised answer, and the researchers know that. If you answered truthfully and your report says something different, that is not a lie or a mistake. Leave it as it is.",
      ),
    },
  ];
}
