/** What a survey says of itself, which this device checks before it shows any. */

import { Refusal } from "./refusal.js";

/** What can be called, written to, or visited by TLS; and where the way out leads, if anywhere. */
export const LINK =
  /^(tel:\+?[0-9][0-9.-]*|mailto:[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+|https:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[!-~]*)?)$/;
/** Without a query or a fragment, which could be one person's own. */
const PANEL = /^https:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[!"$->@-~]*)?$/;
const SITE = /^(none$|https?:\/\/[^/])/;

/** A picture in the document, and a colour: an address would be asked for by who sees it. */
const LOGO = /^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/;
const COLOUR = /^#[0-9a-f]{6}$/;

/**
 * The adversary is a server whose "helpline" is a script: it would run beside the answers.
 * @param {SurveyDocument} survey
 * @throws {Refusal} if a link leads anywhere else
 */
export function checkAbout({ about, exit = "none" }) {
  const { contact_link, help_link, complaints_link } = about ?? {};
  const links = [contact_link, help_link, complaints_link];
  if (!links.every((link) => link === undefined || LINK.test(link)) || !SITE.test(exit)) {
    throw new Refusal("it has a link that is no phone number, e-mail address or secure page");
  }
  const { logo, colour, panel } = about ?? {};
  if (panel !== undefined && !PANEL.test(panel)) {
    throw new Refusal("its way back to a panel is not the same for everybody");
  }
  if ((logo && !LOGO.test(logo)) || (colour && !COLOUR.test(colour))) {
    throw new Refusal("its logo is no picture in the survey, or its colour is none");
  }
}
