/** The fingerprint of a survey, and what is said where it is not the one that the link names. */

import { element } from "./dom.js";
import { warn } from "./refuse.js";
import { drawnBy, say } from "./say.js";

/** What people compare. @param {string} revision */
export const fingerprint = (revision) => revision.slice(0, 16).replace(/.{4}(?=.)/g, "$& ");

/** The digits of a revision that an address names, its first ones. @param {string} hash */
export const digitsIn = (hash) => /[0-9a-f]{16,64}/.exec(hash)?.[0] ?? "";

/**
 * @param {HTMLElement} root
 * @param {string} named the digits in the link
 * @param {string} found the revision
 * @returns {Promise<unknown>} until the person goes on
 */
export function tellOfChange(root, named, found) {
  return new Promise((goOn) => {
    const draw = () => {
      const button = element("button", { type: "button" }, say("Continue"));
      button.addEventListener("click", goOn);
      const values = { named: fingerprint(named), found: fingerprint(found) };
      warn(
        root,
        "changed",
        [
          say("This survey has changed since your link was made"),
          say("Your link has the fingerprint {named}. This survey has {found}.", values),
          say(
            "Perhaps someone only corrected a word. But this version may also be made for you alone. Then your report could be told apart from all others.",
          ),
          say(
            "Ask the people who gave you the link, or compare with others who were asked. If they do not have {found}, do not answer.",
            values,
          ),
        ],
        button,
      );
    };
    drawnBy(draw);
    draw();
  });
}
