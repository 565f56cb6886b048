/** What reports have revealed: a bound that names its answers, and beside it those that have none. */

import { mostBy } from "./hundreds.js";
import { say } from "./say.js";

/**
 * @param {{spent?: number, direct?: number}[]} entries what was kept of each of the reports
 * @param {(most: string) => string} [bound] how the bound on the protected answers is said
 * @returns {string[]} a sentence for each kind of answer that is in them
 */
export function revealed(entries, bound = ofAll) {
  const costs = entries.map(({ spent = 0 }) => spent).filter((spent) => spent > 0);
  const direct = sumOf(entries.map((entry) => entry.direct ?? 0));
  const asGiven = say(
    "Answers sent as you gave them: {direct}. Anyone who sees what is stored can read them.",
    { direct },
  );
  return [
    ...(costs.length > 0 ? [bound(mostBy(together(costs) / 1e6))] : []),
    ...(direct > 0 ? [asGiven] : []),
  ];
}

/** @param {string} most */
const ofAll = (most) =>
  say(
    "All protected answers together: someone who thought it 50 in 100 likely that something is true of you can get to {most}.",
    { most },
  );

/**
 * The ε of several reports, in millionths. Each was rounded up by a millionth at most, and `mostBy`
 * undoes that for one of them. Here it is undone for the others, so that twice ln 3 is 90 and not 91.
 *
 * @param {number[]} costs
 */
export const together = (costs) => sumOf(costs) - (costs.length - 1);

/** @param {number[]} numbers */
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
