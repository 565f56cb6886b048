/** Why nothing is asked, in place of the questions. */

import { Refusal } from "../core/refusal.js";
import { element, inParagraphs, pressed } from "./dom.js";
import { drawnBy, say } from "./say.js";

/** @param {HTMLElement} root @param {unknown} error */
export function refuse(root, error) {
  drawnBy(() => refuse(root, error));
  const words = [
    say("This page will not ask you anything"),
    say(
      "This page could not make sure that your answers are protected. It sent nothing, and can send nothing.",
    ),
    say("The reason: {reason}", { reason: reasonOf(error).replace(/\.?$/, ".") }),
  ];
  const onward = error instanceof Refusal ? error.onward : "";
  const go = () => location.replace(onward + location.hash);
  warn(root, "refused", words, ...(onward ? [pressed("", say("Open the survey there"), go)] : []));
}

/**
 * Say that what is asked could not be fetched, until the person tries again or the connection is back.
 * @param {HTMLElement} root
 * @returns {Promise<unknown>}
 */
export function offline(root) {
  return new Promise((wake) => {
    const draw = () => {
      const again = pressed("", say("Try again"), () => {
        again.textContent = say("One moment …");
        wake(undefined);
      });
      const isTriedAgain = root.dataset.screen === "offline";
      const nothing = say("The questions could not be loaded, and nothing was sent.");
      warn(root, "offline", [say("No connection"), nothing], again);
      if (isTriedAgain) again.focus();
    };
    drawnBy(draw);
    draw();
    addEventListener("online", wake, { once: true });
  });
}

/**
 * @param {HTMLElement} root
 * @param {string} screen what it is called
 * @param {string[]} words the heading first
 * @param {HTMLElement[]} rest what comes below
 */
export function warn(root, screen, [heading, ...lines], ...rest) {
  root.dataset.screen = screen;
  root.replaceChildren(
    element(
      "div",
      { class: "panel warning", role: "alert" },
      element("h2", {}, heading),
      ...inParagraphs(lines),
    ),
    ...rest,
  );
}

/**
 * The reason in the language that is spoken; what the browser itself complains of as it says it.
 * @param {unknown} error
 * @returns {string}
 */
export function reasonOf(error) {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : String(error);
  const reason = say(error.sentence, error.values);
  if (error.cause === undefined) return reason;
  return say("{reason}: {cause}", { reason, cause: reasonOf(error.cause) });
}
