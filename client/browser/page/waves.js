/**
 * What the page says of a survey that is asked in waves.
 */

import { ROW_SUM } from "../core/channel.js";
import { atMost, inHundreds, mostBy, tierOf } from "./hundreds.js";
import { say } from "./say.js";

/**
 * What there is to know before the first question.
 *
 * @param {SurveyDocument} survey
 * @param {CurrentWave | undefined} current
 * @returns {WaveNotes | undefined} nothing of a survey that is asked once
 */
export function wavesInWords({ waves }, current) {
  if (!waves || !current) return undefined;
  const { number: wave, late } = current;
  return {
    lines: [
      say("Wave {wave} of {count}", { wave, count: waves.count }),
      ...(late ? [say("An earlier report of yours may have arrived too late.")] : []),
    ],
    back: whatWavesKeep(),
  };
}

/**
 * How sure somebody could get: while the answers stay the same, and whatever changes.
 *
 * @param {SurveyDocument} survey
 * @param {{one: number, all: number}} numbers in 100, while the answers stay the same
 * @returns {Sureness}
 */
export function overWaves(survey, { one, all }) {
  const { count = 1, changing: limit } = survey.waves ?? {};
  // Even to somebody who has all that the device keeps.
  const ever = inHundreds(survey, ({ reports, redraw = 0 }) => {
    const same = ROW_SUM - (reports.length - 1) * redraw;
    return [BigInt(same) ** BigInt(count), BigInt(redraw) ** BigInt(count)];
  });
  const changing = Math.max(all, ever.all);
  const tier = tierOf(changing);
  const most = atMost(changing);
  const ifTheyChange = {
    unsure: say("If they change, nobody can be sure either: {most}.", { most }),
    hint: say("If they change, someone can get a hint: {most}.", { most }),
    often: say("If they change, someone can often tell: {most}.", { most }),
    always: say("If they change, someone can nearly always tell: {most}.", { most }),
  };
  const sentences = [
    say(
      "If your answers stay the same in all waves, someone who thought one of them 50 in 100 likely can get to {most}.",
      { most: atMost(one) },
    ),
    ...(all > one
      ? [
          say("Whoever puts all your unchanged answers together can get to {most}.", {
            most: atMost(all),
          }),
        ]
      : []),
    limit === null
      ? say("If they change, there is no limit: someone can see that they did.")
      : ifTheyChange[tier],
  ];
  return { tier, one, all, changing, sentences };
}

export const whatWavesKeep = () =>
  say(
    "Your device keeps a randomised answer for every answer that you could give, and makes its reports from these. Nothing on it says which report is yours.",
  );

/** What became of a report that came after its wave. */
export const cameTooLate = () => [
  say("Your report was not accepted"),
  say("This wave ended before your report arrived."),
];

export const answeredWave = () =>
  say("You have answered this wave. You will be asked again in the next one.");

/**
 * The three statements of what is revealed.
 *
 * @param {number} oneReport
 * @param {number} longitudinal
 * @param {number | null} anyHistory
 */
export function threeCosts(oneReport, longitudinal, anyHistory) {
  return [
    say("Protected answers of one report: {cost}", { cost: mostBy(oneReport) }),
    say("All your protected answers, as long as they stay the same: {cost}", {
      cost: mostBy(longitudinal),
    }),
    say("Whatever changes, even for someone who has your device: {cost}", {
      cost: anyHistory === null ? say("no limit") : mostBy(anyHistory),
    }),
  ];
}
