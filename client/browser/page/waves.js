/**
 * What the page says of a survey that is asked in waves.
 */

import { say } from "./say.js";
import { cost } from "./words.js";

/**
 * What there is to know before the first question.
 *
 * @param {SurveyDocument} survey
 * @param {CurrentWave | undefined} current
 * @returns {WaveNotes | undefined} nothing of a survey that is asked once
 */
export function wavesInWords({ waves, epsilon }, current) {
  if (!waves || !current) return undefined;
  const { number: wave, late } = current;
  return {
    lines: [
      say("This is true as long as your answers stay the same from wave to wave."),
      say("Wave {wave} of {count}", { wave, count: waves.count }),
      ...(late ? [say("An earlier report of yours may have arrived too late.")] : []),
    ],
    costs: threeCosts(waves.once, epsilon, waves.changing),
    back: whatWavesKeep(),
  };
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
    say("One report: {cost}", { cost: cost(oneReport) }),
    say("All your reports, as long as your answers stay the same: {cost}", {
      cost: cost(longitudinal),
    }),
    say("Whatever changes, even for someone who has your device: {cost}", {
      cost: anyHistory === null ? say("no limit") : cost(anyHistory),
    }),
  ];
}
