/** The survey check number, and what is said where the link names another. */

import { toldCorrections } from "./corrected.js";
import { clickable, element, folded, paragraph } from "./dom.js";
import { warn } from "./refuse.js";
import { drawnBy, say } from "./say.js";

/** Of each wording, the last is compared. @param {SurveyDocument} survey */
const checkNumbersOf = ({ revision, checkNumbers = [revision] }) => checkNumbers;

/** @param {SurveyDocument} survey */
const compare = (survey) =>
  say(
    "The survey check number is {digits}. Ask the people who gave you the link, or compare with others. If theirs is different, do not answer.",
    {
      digits: checkNumbersOf(survey)
        .slice(-1)[0]
        .slice(0, 16)
        .replace(/.{4}(?=.)/g, "$& "),
    },
  );

/** @param {SurveyDocument} survey */
export const checkNumber = (survey) =>
  folded("compare", say("Check that you got the same survey as everyone else"), [
    paragraph(compare(survey)),
  ]);

/**
 * Whether a server led here that may have put its own digits in the place of the link's: ours leads
 * nobody to a fragment. It is asked as the page opens, since a language that is chosen later adds one.
 */
const wasLed =
  performance.getEntriesByType("navigation").some((way) => way.toJSON().redirectCount > 0) &&
  location.href.includes("#");

/** What people and programs put between digits, and around them. */
const BETWEEN = /[^\p{L}\p{Nd}]/gu;

/** In the place of digits that cannot be read. */
const UNREADABLE = "unreadable";

/**
 * The first digits of the number that a link names.
 * @param {string} hash
 * @param {boolean} [led] whether a server may have chosen it
 * @returns {string} empty if it names none
 */
export function digitsIn(hash, led = wasLed) {
  // What has a name is the language, a code, or what some program has added.
  const parts = hash.split(/[#&?]/).filter((part) => part && !part.includes("="));
  if (parts.length === 0) return led ? UNREADABLE : "";
  const digits = plain(parts.join("")).replace(BETWEEN, "").toLowerCase();
  return !led && /^[0-9a-f]{16,64}$/.test(digits) ? digits : UNREADABLE;
}

/** What an address says, where it is written as addresses are. @param {string} part */
function plain(part) {
  try {
    return decodeURIComponent(part).normalize("NFKC");
  } catch {
    return UNREADABLE;
  }
}

/**
 * Until the person goes on, where the link names another number: what was corrected since, that it
 * is not known, or that it cannot be read. @param {HTMLElement} root @param {SurveyDocument} survey @param {string} digits
 */
export async function tellOfChange(root, survey, digits) {
  if (digits === "") return;
  const at = checkNumbersOf(survey).findIndex((number) => number.startsWith(digits));
  if (at === checkNumbersOf(survey).length - 1) return;
  const before = survey.earlier?.[at];
  await new Promise((goOn) => {
    const draw = () => {
      const button = clickable({}, say("Continue"), () => goOn(undefined));
      if (before) {
        const heading = element("h2", {}, say("Words were corrected since your link was made"));
        root.dataset.screen = "corrected";
        root.replaceChildren(
          element("section", { class: "panel" }, heading, ...toldCorrections(survey, before)),
          button,
        );
        return;
      }
      if (digits === UNREADABLE) {
        const words = [
          say("The check number in your link cannot be read"),
          say("So this page cannot tell whether everybody who has your link gets this survey."),
          compare(survey),
        ];
        warn(root, "unread", words, button);
        return;
      }
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
