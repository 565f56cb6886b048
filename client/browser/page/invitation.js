/** What the page says to a code: whether this device has a token for it now. */

import { admissionFor, fetchToken } from "../core/admission.js";
import { say } from "./say.js";

/** What is wrong, by what the server said. @type {Record<Exclude<Admitted, "admitted">, () => string>} */
const WRONG_CODE = {
  unknown: () =>
    say("There is no such code. Check what you typed, or ask the people who gave it to you."),
  used: () =>
    say(
      "This code has been used before, in another browser or on another device. Answer there, or ask the people who gave it to you.",
    ),
  closed: () => say("This survey is closed"),
  changed: () => say("The survey has changed. Load this page again."),
  unreachable: () => say("The server did not answer. Please try again."),
};

/**
 * Exchange a code for a token, unless there is one.
 * @param {Session} session
 * @param {string} code
 * @param {NoisyReport} [report] that waits for it
 * @returns {Promise<string>} what is wrong; empty if there is a token
 */
export async function admit(session, code, report) {
  const id = report?.id ?? session.admission?.id ?? "";
  session.admission = admissionFor(session, id, report !== undefined);
  const became = await fetchToken(session, code);
  if (became !== "admitted") return WRONG_CODE[became]();
  hideCode();
  return "";
}

/** Take a code that is used out of the address: who passes the link on would pass it on, too. */
export function hideCode() {
  const rest = location.hash.replace(/([#&?;])code=[a-z-]*[&?;]?/i, "$1").replace(/[#&?;]$/, "");
  if (rest !== location.hash) history.replaceState(history.state, "", location.pathname + rest);
}
