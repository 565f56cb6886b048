/**
 * A survey that is asked again, wave by wave, and what this device keeps from one to the next.
 *
 * For each item it keeps a noisy answer to *every* answer that could be true, all of them drawn when
 * the page opens, so that what is kept has the same law whatever is true. A wave's report is drawn
 * from the noisy answer to what is true then. Once a report has arrived its id and bytes are
 * forgotten: somebody who seizes this device and the server's database finds nothing that says which
 * of the reports came from here.
 *
 * Only surveys with waves load it.
 */

import { checkWeights, epsilon, ROW_SUM, sample } from "./channel.js";
import { element } from "./dom.js";
import { keyOf, mark } from "./memory.js";
import { drawnBy, say } from "./say.js";
import { cost } from "./words.js";

/** Far below the millionths in which ε is printed. */
const SLACK = 1e-12;

const broken = () => new Error(say("it would reveal more than is promised"));

/**
 * Hold a survey with waves to what it says: that a report is drawn as it shows, and the three ε.
 *
 * @param {SurveyDocument} survey
 * @throws {Error} if it does not hold
 */
export function checkWaves({ waves, items }) {
  const { count = 0, once = NaN, changing } = waves ?? {};
  let [one, all] = [0, 0];
  const last = items[items.length - 1];
  let holds = last.truths.length === count;
  for (const { permanent, weights, redraw = NaN, once: own = NaN, epsilon: lasting } of items) {
    if (lasting === null) continue;
    checkWeights(permanent);
    const { length } = weights[0];
    const rest = 1 - (length * redraw) / ROW_SUM;
    // The law of one report: each of them with the weight of redrawing, or else the one that is kept.
    const law = permanent.map((row) => row.map((weight) => redraw + weight * rest));
    holds &&=
      Number.isInteger(redraw) &&
      redraw >= 0 &&
      rest > 0 &&
      epsilon(law) <= own + SLACK &&
      // Cell by cell: what the law has no row for, nobody has checked.
      law.length === weights.length &&
      law.every(
        (row, truth) =>
          row.length === length &&
          row.every((weight, report) => Math.abs(weight - weights[truth][report]) <= length),
      );
    one += Math.round(own * 1e6);
    all += count * Math.log(ROW_SUM / redraw - length + 1);
  }
  holds &&= one <= Math.round(once * 1e6);
  // Said this way round: what is no number is above nothing, and below nothing either.
  holds &&= changing === null || Number(changing) + SLACK >= all;
  if (!holds) throw broken();
}

/**
 * The noisy answer to each truth of each item: those that are kept, and the others drawn.
 *
 * @param {SurveyDocument} survey
 * @param {Uint32Array} words
 * @param {(number[] | undefined)[]} kept
 * @returns {number[][]} none of an item of which nothing is kept
 */
export function drawMaps({ items }, words, kept = []) {
  let next = items.length;
  return items.map(({ permanent = [] }, place) => {
    const drawn = permanent.map((_row, truth) => sample(permanent, truth, words[next++]));
    return kept[place] ?? drawn;
  });
}

/**
 * What is reported of each truth in this wave: the noisy answer, or with a small chance another.
 *
 * @param {SurveyDocument} survey
 * @param {Uint32Array} words
 * @param {number[][]} maps
 */
export function readyReports({ items }, words, maps) {
  return items.map(({ reports, redraw = 0 }, place) => {
    const same = ROW_SUM - (reports.length - 1) * redraw;
    return maps[place].map((noisy) => {
      const row = reports.map((_report, sent) => (sent === noisy ? same : redraw));
      return sample([row], 0, words[place]);
    });
  });
}

/**
 * The memory of a device, for one wave of a survey.
 *
 * @param {Memory} memory
 * @param {Storage | undefined} storage
 * @param {SurveyDocument} survey
 * @param {number} wave from 1
 * @returns {Memory}
 */
export function inWave(memory, storage, survey, wave) {
  const own = keyOf(survey.survey);
  const key = `${own}:waves`;
  const marks = survey.items.map((item) => mark(survey, item));
  const last = marks.length - 1;
  const { count = 0, once = 0, changing = null } = survey.waves ?? {};
  if (!survey.items[last].truths[wave - 1]) {
    throw broken();
  }
  const read = () => {
    try {
      return JSON.parse(storage?.getItem(key) ?? "{}");
    } catch {
      return {};
    }
  };
  /** Which wave a report is of that has not arrived yet, from 0. */
  const waiting = memory.bytes()[last];
  /** Of one that is of this wave. */
  const pending = () => {
    const bytes = memory.bytes();
    return bytes[last] === wave - 1 ? bytes : [];
  };
  /** @type {number[][]} */
  let maps = [];
  return {
    ...memory,
    ready: (words) => {
      const { maps: kept = {} } = read();
      maps = drawMaps(
        survey,
        words,
        marks.map((one) => kept[one]),
      );
      return readyReports(survey, words, maps);
    },
    report: () => (pending().length > 0 ? memory.report() : undefined),
    bytes: () => marks.map((_mark, place) => (place === last ? wave - 1 : pending()[place])),
    answered: (root) => {
      const done = read().wave >= wave;
      const tell = () => {
        const words = say("You have answered this round. The next one asks you again.");
        const heading = element("h2", { tabindex: "-1" }, words);
        root.replaceChildren(
          element("div", { class: "panel", "data-outcome": "answered" }, heading),
        );
        heading.focus();
      };
      if (done) {
        drawnBy(tell);
        tell();
      }
      return done;
    },
    keep: (report) => {
      if (memory.works) {
        const { title, epsilon: lasting, waves } = survey;
        // What another tab has kept meanwhile stays: it is what its report was drawn from.
        const all = {
          ...Object.fromEntries(marks.map((one, at) => [one, maps[at]])),
          ...read().maps,
        };
        storage?.setItem(
          key,
          JSON.stringify({ title, epsilon: lasting, ...waves, wave, maps: all }),
        );
      }
      memory.keep(report);
    },
    settle: (outcome) => {
      if (outcome === "stored") storage?.removeItem(own);
      if (outcome !== "closed") return undefined;
      return () => [
        say("Your report was not taken"),
        say("This round ended before your report came."),
      ];
    },
    rounds: () => ({
      lines: [
        say("That holds while your answers stay the same from round to round."),
        say("Round {wave} of {count}", { wave, count }),
        ...(waiting === undefined || waiting === wave - 1
          ? []
          : [say("An earlier report of yours may have come too late.")]),
      ],
      costs: threeCosts(once, survey.epsilon, changing),
      back: say(
        "Your device keeps a noisy answer for each answer that you could give, and reports from these. Nothing on it says which report is yours.",
      ),
    }),
  };
}

/**
 * The three statements of what is revealed.
 *
 * @param {number} once
 * @param {number} lasting
 * @param {number | null} changing
 */
export function threeCosts(once, lasting, changing) {
  return [
    say("One report: {cost}", { cost: cost(once) }),
    say("All reports ever, while your answers stay the same: {cost}", { cost: cost(lasting) }),
    say("Whatever changes, even to somebody who has your device: {cost}", {
      cost: changing === null ? say("no limit") : cost(changing),
    }),
  ];
}
