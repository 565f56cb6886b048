/** What reports have revealed: a bound names its answers, and beside it stand those that have none. */

import { mostBy } from "./odds.js";
import { say } from "./say.js";

/** @param {string} most */
const ofAll = (most) =>
  say(
    "If all your protected answers point to the same thing, someone can be {most}. Before, it was 50:50.",
    { most },
  );

/**
 * @param {DeviceEntry[]} entries
 * @param {object} [more]
 * @param {typeof ofAll} [more.bound] how it is said
 * @param {DeviceEntry[]} [more.beside] all that the same person has answered
 * @param {boolean} [more.areDeleted] whether the server has deleted what it got as it was given
 */
export function revealed(entries, { bound = ofAll, beside = entries, areDeleted = false } = {}) {
  const isOpen = (/** @type {DeviceEntry} */ entry) =>
    beside.some(
      (other) => Object(other.parent).asks === "direct" && other.direct && isSame(entry, other),
    );
  const costs = entries.flatMap((entry) => (isOpen(entry) ? [] : entry.spent || []));
  // Each was rounded up by a millionth at most, and `mostBy` undoes that for one of them. Here it is
  // undone for the others, so that twice ln 3 is 90 and not 91.
  const together = costs.reduce((sum, cost) => sum + cost - 1, 1);
  const direct = entries.reduce((sum, entry) => sum + (entry.direct ?? 0), 0);
  return [
    ...(costs.length > 0 ? [bound(mostBy(together / 1e6))] : []),
    ...(entries.some((entry) => entry.spent && isOpen(entry)) ? [answeredOpenly()] : []),
    ...(direct > 0 && !areDeleted
      ? [
          say(
            "The server got {direct} of your answers just as you gave them. Anyone who sees what is stored can read them.",
            { direct },
          ),
        ]
      : []),
  ];
}

const answeredOpenly = () =>
  say("You have also answered this question openly. Chance no longer protects your answer.");

/** Of a meeting, where each is asked in several ways. @param {DeviceEntry} entry @param {DeviceEntry} other */
function isSame({ parent }, { parent: another }) {
  const [one, two] = [Object(parent), Object(another)];
  return one.code !== undefined && one.code === two.code && one.number === two.number;
}
