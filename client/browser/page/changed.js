/** The survey check number, and what is said where the link names another. */

import { element, folded } from "./dom.js";
import { warn } from "./refuse.js";
import { drawnBy, say } from "./say.js";

/** @param {SurveyDocument} survey */
const compare = ({ revision }) =>
  say(
    "The survey check number is {digits}. Ask the people who gave you the link, or compare with others. If they have another one, do not answer.",
    { digits: revision.slice(0, 16).replace(/.{4}(?=.)/g, "$& ") },
  );

/** @param {SurveyDocument} survey */
export const checkNumber = (survey) =>
  folded("compare", say("Survey check number, the same for everybody"), [
    element("p", {}, compare(survey)),
  ]);

/** The first digits, in an address. @param {string} hash */
export const digitsIn = (hash) => /[0-9a-f]{16,64}/.exec(hash)?.[0] ?? "";

/** Until the person goes on. @param {HTMLElement} root @param {SurveyDocument} survey */
export function tellOfChange(root, survey) {
  return new Promise((goOn) => {
    const draw = () => {
      const button = element("button", { type: "button" }, say("Continue"));
      button.addEventListener("click", goOn);
      const words = [
        say("This survey has changed since your link was made"),
        say(
          "Perhaps someone only corrected a word. But this version may also be made for you alone. Then your report could be told apart from all others.",
        ),
        compare(survey),
      ];
      warn(root, "changed", words, button);
    };
    drawnBy(draw);
    draw();
  });
}
