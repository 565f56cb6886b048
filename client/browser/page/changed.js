/** The fingerprint, and what is said where the link names another. */

import { element } from "./dom.js";
import { warn } from "./refuse.js";
import { drawnBy, say } from "./say.js";

/** What people compare. @param {string} revision */
export const fingerprint = (revision) => revision.slice(0, 16).replace(/.{4}(?=.)/g, "$& ");

/** The first digits, in an address. @param {string} hash */
export const digitsIn = (hash) => /[0-9a-f]{16,64}/.exec(hash)?.[0] ?? "";

/** Until the person goes on. @param {HTMLElement} root @param {SurveyDocument} survey */
export function tellOfChange(root, { revision }) {
  return new Promise((goOn) => {
    const draw = () => {
      const button = element("button", { type: "button" }, say("Continue"));
      button.addEventListener("click", goOn);
      const words = [
        say("This survey has changed since your link was made"),
        say(
          "Perhaps someone only corrected a word. But this version may also be made for you alone. Then your report could be told apart from all others.",
        ),
        say(
          "The fingerprint is now {digits}. Ask the people who gave you the link, or compare with others. If they have another one, do not answer.",
          { digits: fingerprint(revision) },
        ),
      ];
      warn(root, "changed", words, button);
    };
    drawnBy(draw);
    draw();
  });
}
