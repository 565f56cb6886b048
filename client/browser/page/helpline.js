/** Who helps, whom to ask, where results will stand, and when the reports go. */

import { LINK } from "../core/shape.js";
import { element, hint, leading } from "./dom.js";
import { say } from "./say.js";

/** Who helps people whom the questions trouble. @param {SurveyDocument} survey as it is read */
export const helpline = ({ about: { help, help_link } = {} }) =>
  labelled("helpline", say("Someone to talk to:"), help, help_link);

/** Whom to ask about a survey. @param {SurveyDocument} survey */
export const contact = ({ about: { contact: whom, contact_link } = {} }) =>
  labelled("contact", say("Questions about this survey:"), whom, contact_link);

/** @param {SurveyDocument} survey */
export const results = ({ about }) =>
  labelled("results", say("Results will stand here:"), about?.results);

/** @param {SurveyDocument} survey */
export const deletion = ({ about }) =>
  labelled("deletion", say("The server deletes all reports on:"), about?.delete_reports);

/** Back to a panel, once the report is there. @param {SurveyDocument} survey */
export const panel = ({ about: { panel: address } = {} }) =>
  address
    ? [
        element("p", { class: "panel-link" }, leading(say("Back to the panel"), address)),
        hint(
          say(
            "The panel then sees that you were here, when you finished, and your network address. It gets nothing of your answers, and the link is the same for everybody.",
          ),
        ),
      ]
    : [];

/**
 * A text behind what it is; it leads there, if it is an address or has one. No line ends within a
 * number, so that a phone number is read whole.
 * @param {string} kind
 * @param {string} words
 * @param {string} [text]
 * @param {string} [link] which is checked
 */
export function labelled(kind, words, text = "", link = LINK.test(text) ? text : "") {
  const whole = text.replace(/(\d) (?=\d)/g, "$1\u00a0");
  const shown = link ? leading(whole, link) : whole;
  return text ? [element("p", { class: kind }, words, " ", shown)] : [];
}
