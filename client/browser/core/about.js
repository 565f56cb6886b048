/** Where the links of a survey may lead, which this device checks before it shows any. */

import { Refusal } from "./refusal.js";

/** What can be called, written to, or visited by TLS. */
export const LINK =
  /^(tel:\+?[0-9][0-9.-]*|mailto:[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+|https:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[!-~]*)?)$/;

/**
 * The adversary is a server whose "helpline" is a script: it would run beside the answers.
 * @param {SurveyDocument} survey
 * @throws {Refusal} if a link leads anywhere else
 */
export function checkLinks({ about }) {
  for (const link of [about?.contact_link, about?.help_link]) {
    if (link !== undefined && !LINK.test(link)) {
      throw new Refusal("it has a link that is no phone number, e-mail address or secure page");
    }
  }
}
