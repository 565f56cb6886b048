/** What reports have revealed: a bound names its answers, and beside it stand those that have none. */

import { mostBy } from "./odds.js";
import { say } from "./say.js";

/** @param {string} most */
const ofAll = (most) =>
  say(
    "All protected answers together: how sure someone can be that something is true of you. Before: 50 in 100. After: {most}.",
    { most },
  );

/** @param {DeviceEntry[]} entries @param {typeof ofAll} [bound] how it is said */
export function revealed(entries, bound = ofAll) {
  const costs = entries.flatMap(({ spent }) => spent || []);
  // Each was rounded up by a millionth at most, and `mostBy` undoes that for one of them. Here it is
  // undone for the others, so that twice ln 3 is 90 and not 91.
  const together = costs.reduce((sum, cost) => sum + cost - 1, 1);
  const direct = entries.reduce((sum, entry) => sum + (entry.direct ?? 0), 0);
  return [
    ...(costs.length > 0 ? [bound(mostBy(together / 1e6))] : []),
    ...(direct > 0
      ? [
          say(
            "The server got {direct} of your answers just as you gave them. Anyone who sees what is stored can read them.",
            { direct },
          ),
        ]
      : []),
  ];
}
