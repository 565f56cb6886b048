/** What reports have revealed: a bound names its answers, and beside it stand those that have none. */

import { mostBy } from "./odds.js";
import { say } from "./say.js";

/** Of one question of a class. @param {string} most */
const ofOne = (most) => say("Someone who was 50:50 about you can now be {most}.", { most });

/** @param {string} most */
const ofAll = (most) =>
  say(
    "If all your protected answers point to the same thing, someone can be {most}. Before, it was 50:50.",
    { most },
  );

/**
 * @param {DeviceEntry[]} entries
 * @param {object} [more]
 * @param {typeof ofAll} [more.bound] how it is said, if not by how many questions there are
 * @param {DeviceEntry[]} [more.beside] all that the same person has answered
 * @param {boolean} [more.areDeleted] whether the server has deleted what it got as it was given
 */
export function revealed(entries, { bound, beside = entries, areDeleted = false } = {}) {
  const isOpen = (/** @type {DeviceEntry} */ entry) =>
    beside.some(
      (other) => Object(other.parent).asks === "direct" && other.direct && isSame(entry, other),
    );
  const closed = entries.filter((entry) => entry.spent && !isOpen(entry));
  const costs = closed.map(({ spent = 0 }) => spent);
  const says = bound ?? (closed.every((one) => isSame(one, closed[0])) ? ofOne : ofAll);
  // Each was rounded up by a millionth at most, and `mostBy` undoes that for one of them. Here it is
  // undone for the others, so that twice ln 3 is 90 and not 91.
  const together = costs.reduce((sum, cost) => sum + cost - 1, 1);
  // A guess of the class is no answer of one's own.
  const own = entries.filter(({ parent }) => Object(parent).asks !== "prior");
  const direct = own.reduce((sum, entry) => sum + (entry.direct ?? 0), 0);
  return [
    ...(costs.length > 0 ? [says(mostBy(together / 1e6))] : []),
    ...(entries.some((entry) => entry.spent && isOpen(entry)) ? [answeredOpenly()] : []),
    ...(direct > 0 && !areDeleted
      ? [
          say(
            "The server gets {direct} of your answers just as you give them. Anyone who sees what is stored can read them.",
            { direct },
          ),
        ]
      : []),
  ];
}

const answeredOpenly = () =>
  say("You have also answered this question openly. Chance no longer protects your answer.");

/**
 * Of a meeting, where each is asked in several ways; and in another meeting it may be asked again.
 * @param {DeviceEntry} entry
 * @param {DeviceEntry} other
 */
function isSame({ parent, reported = {} }, { parent: another, reported: marks = {} }) {
  const [one, two] = [Object(parent), Object(another)];
  const isHere = one.code === two.code && one.number === two.number;
  return Boolean(
    one.code && two.code && (isHere || Object.keys(reported).some((mark) => mark in marks)),
  );
}
