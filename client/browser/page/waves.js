/**
 * What the page says of a survey that is asked in waves.
 */

import { ROW_SUM } from "../core/channel.js";
import { atMost, inHundreds, mostBy } from "./odds.js";
import { say } from "./say.js";

/**
 * What there is to know before the first question.
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

/** The wave, as a line of what is sent. @param {NoisyReport} report @returns {Line} */
export const waveSent = ({ wave = "" }) => ({
  asked: say("Which wave this is"),
  sent: say("Wave {wave}", { wave: Number.parseInt(wave, 16) }),
  share: say("sent as it is: the number of this wave"),
});

/**
 * How sure somebody could get in 100, whatever changes: even with all that the device keeps.
 * @param {SurveyDocument} survey
 */
export function overWaves(survey) {
  const { count = 1 } = survey.waves ?? {};
  return inHundreds(survey, ({ permanent: [reports] = [[]], redraw = 0 }) => {
    const same = ROW_SUM - (reports.length - 1) * redraw;
    return [BigInt(same) ** BigInt(count), BigInt(redraw) ** BigInt(count)];
  }).all;
}

/** @param {number | undefined} inHundred none if there is no limit */
export const ifTheyChange = (inHundred) =>
  say("If they change between waves: {most}.", {
    most: inHundred === undefined ? say("no limit") : atMost(inHundred),
  });

export const aChangeShows = () =>
  say("If an answer of yours changes between waves, someone can see that.");

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
