/**
 * What the page says of a survey that is asked in waves.
 */

import { ROW_SUM } from "../core/channel.js";
import { add, dearest } from "../core/protocol.js";
import { keepsNoise } from "../core/questions.js";
import { lossIfForgotten } from "../core/waves.js";
import { COLOURS, colourOfAll, inHundredBy, inHundreds, mostBy } from "./odds.js";
import { percent, tierOf, upTo } from "./odds.js";
import { locale, say } from "./say.js";

/**
 * What there is to know before the first question.
 * @param {SurveyDocument} survey
 * @param {Memory["wave"]} current
 * @param {number | null} closes when it closes, if that is planned
 * @returns {WaveNotes | undefined} nothing of a survey that is asked once
 */
export function wavesInWords(survey, current, closes) {
  const { waves } = survey;
  if (!waves || !current) return undefined;
  const { number: wave, late } = current;
  return {
    lines: [
      say("Wave {wave} of {count}", { wave, count: waves.count }),
      ...(closes ? [say("Open until {date}", { date: inTime(closes) })] : []),
      ...(late ? [say("An earlier report of yours may have arrived too late.")] : []),
    ],
    back: keepsNoise(survey) ? whatWavesKeep() : undefined,
    here: current,
  };
}

/** A moment, by this device's clock and in the digits of the survey. @param {number} seconds */
const inTime = (seconds) =>
  new Date(seconds * 1000).toLocaleString(`${locale()}-u-nu-latn`, {
    dateStyle: "long",
    timeStyle: "short",
  });

/** The wave, as a line of what is sent. @param {NoisyReport} report */
export const waveSent = ({ wave = "" }) => ({
  asked: say("Which wave this is"),
  sent: say("Wave {wave}", { wave: Number.parseInt(wave, 16) }),
  share: say("sent as it is: the number of this wave"),
});

/**
 * How sure somebody could get in 100, whatever changes and even with all that the device keeps: of
 * all reports of one question, and of all reports.
 * @param {SurveyDocument} survey
 * @param {number} one of one question while nothing changes
 * @param {number} all of all of them
 * @param {Memory["wave"]} [here]
 * @returns {OverWaves}
 */
export function overWaves(survey, one, all, here) {
  const { count = 1, changing } = survey.waves ?? {};
  const isNew = here?.isNew ?? false;
  const drawn = isNew ? (here?.number ?? count) : count;
  const lost = (/** @type {Item} */ item) => lossIfForgotten(item, drawn);
  const found = inHundreds(survey, ({ permanent: [reports] = [[]], redraw = 0 }) => {
    const same = ROW_SUM - (reports.length - 1) * redraw;
    return [BigInt(same) ** BigInt(count), BigInt(redraw) ** BigInt(count)];
  });
  return {
    changed: Math.max(one, found.one),
    changing: Math.max(all, found.all),
    isUnlimited: changing === null,
    forgot: Math.max(one, inHundredBy(Math.max(...survey.items.map(lost)))),
    forgotAll: Math.max(all, inHundredBy(dearest(survey, lost, add))),
    isNew,
  };
}

/**
 * What later waves tell. A change is asked again with fresh chance, so there a warning is red.
 * @param {OverWaves} waves
 * @returns {Told[]}
 */
export function ifTheyChange(waves) {
  const { changed, changing, isUnlimited, isNew } = waves;
  // To a device that has nothing of an earlier wave, this is one of the later ones.
  const noMore = say("While your answers stay the same, later waves tell no more.");
  const same = isNew ? "" : `${noMore} `;
  const last = isNew ? ifAnswered(waves) : ifForgotten(waves);
  if (isUnlimited) return [{ text: same + someoneCanSee(), colour: "red" }, last];
  const changes = say("If one changes, its reports together could make someone {sure}.", {
    sure: upTo(changed),
  });
  const every = say(
    "If all your answers of all waves point to the same thing, together they could make someone {sure}.",
    { sure: upTo(changing) },
  );
  return [
    { text: same + changes, colour: colourOfAll(changed, "red") },
    ...(changing > changed ? [{ text: every, colour: colourOfAll(changing) }] : []),
    last,
  ];
}

/** @param {OverWaves} waves @returns {Told} */
const ifForgotten = ({ forgot, forgotAll }) => ({
  text:
    forgotAll > forgot
      ? say(
          "If your browser forgets between waves, someone can be {sure} from one answer, {all} from all.",
          { sure: upTo(forgot), all: percent(forgotAll) },
        )
      : say("If your browser forgets between waves, someone can be {sure}.", {
          sure: upTo(forgot),
        }),
  colour: colourOfAll(forgotAll),
});

/** To somebody of whom this device has nothing of an earlier wave. @param {OverWaves} waves @returns {Told} */
function ifAnswered({ forgot, forgotAll }) {
  const text =
    forgotAll > forgot
      ? say(
          "If you answered an earlier wave, in this or another browser: {sure} from one answer, {all} from all. You need not answer again.",
          { sure: upTo(forgot), all: percent(forgotAll) },
        )
      : say(
          "If you answered an earlier wave, in this or another browser: {sure}. You need not answer again.",
          { sure: upTo(forgot) },
        );
  const tier = tierOf(forgot);
  return { text, colour: tier === "hint" ? colourOfAll(forgotAll) : COLOURS[tier] };
}

/** The same before the first question. @param {OverWaves} waves @returns {Told[]} */
export const ifTheyChangeInShort = (waves) => {
  const { changed, changing, isUnlimited, isNew } = waves;
  return [
    ...(isNew ? [ifAnswered(waves)] : []),
    {
      text: isUnlimited
        ? someoneCanSee()
        : say("If you change your answer next time: {sure}.", { sure: upTo(changing) }),
      colour: isUnlimited || colourOfAll(changed) !== "calm" ? "red" : colourOfAll(changing),
    },
  ];
};

const someoneCanSee = () => say("If you change your answer next time, someone can see that.");

export const whatWavesKeep = () =>
  say(
    "Your device keeps a randomised answer for every answer that you could give, and makes its reports from these. Nothing on it says which report is yours.",
  );

/** What became of a report that came in its wave: the device that keeps the noise is needed again. */
export const cameInTime = () => [
  say("Thank you. Your report has arrived."),
  `${answeredWave()} ${askedAgain()}`,
];

/** What became of a report that came after its wave. */
export const cameTooLate = () => [
  say("Your report was not accepted"),
  say("This wave ended before your report arrived."),
];

export const answeredWave = () => say("You have answered this wave.");

export const askedAgain = () => say("If you are asked again, open the same link on this device.");

/** Beside what the device keeps: a second report of the same wave would reveal more. */
export const onceInEach = () =>
  say(
    "Please answer each wave only once, and on this device: other reports from you give away more.",
  );

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
