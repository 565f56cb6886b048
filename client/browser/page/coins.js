/**
 * What a phone sent in a class, and how the coins fell.
 *
 * The adversary comes to the phone later: who knows the report and what chance decided often knows
 * the answer. So that is drawn for the page that tossed it alone, and is kept nowhere.
 */

import { sample } from "../core/channel.js";
import { fetchSurvey } from "../core/fetching.js";
import { readEntry } from "../core/memory.js";
import { bytesOf } from "../core/report.js";
import { entriesIn } from "../core/storage.js";
import { addressOf } from "./address.js";
import { element, folded, hint, OWN, paragraph } from "./dom.js";
import { people, svg } from "./pictures.js";
import { redraw, say, translated } from "./say.js";
import { thrown } from "./trust.js";

/**
 * What a random word decides: whether any answer becomes the same report, and how two coins fell, 0
 * for heads, where the channel is that of two coins. They are a picture of the word: each pair of its
 * first two bits is a pair of sides, and nothing else is drawn for them. Heads first lets the answer
 * count. After tails the second coin answers: heads the second answer, tails the first.
 * @param {Item} item
 * @param {number} word
 * @returns {Fallen}
 */
export function whatFell(item, word) {
  const [report, ...others] = item.truths.map((_truth, place) => sample(item.weights, place, word));
  const alone = others.every((other) => other === report);
  if (!isOfTwoCoins(item)) return { alone, coins: [] };
  return { alone, coins: alone ? [1, 1 - report] : [0, word >>> 31] };
}

/** @param {Item} item */
function isOfTwoCoins(item) {
  const { ways, no, yes } = thrown(item) ?? {};
  return ways === 4 && no === 1 && yes === 1;
}

/**
 * The report, and for the person alone to open what chance decided, as long as this page knows it.
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 * @param {Fallen} [fell]
 */
export function whatWasSent({ items: [item], questions: [question] }, report, fell) {
  const [sent] = bytesOf(report.answers);
  const { text } = item.reports[sent];
  const here = fell
    ? [
        title(say("Your phone sent: “{report}”", { report: text })),
        ...rule(item),
        folded("secret", unopened(fell), whatChanceDid(fell)),
      ]
    : [
        paragraph(question.text),
        title(say("Mixed with chance, your phone sent: “{report}”", { report: text })),
        ...(question.statements ? [] : [hint(forgotten())]),
      ];
  return [element("div", { ...OWN, class: "panel fell", "data-sent": String(sent) }, ...here)];
}

/** What two coins decide. @param {Item} item */
function rule(item) {
  const [first, second] = item.reports.map(({ text }) => text);
  const words = say(
    "First coin heads: your answer. Tails, then heads: “{second}”. Tails, then tails: “{first}”.",
    { first, second },
  );
  return isOfTwoCoins(item) ? [hint(words)] : [];
}

/** What opens what chance decided: coins of which no side is seen yet. @param {Fallen} fell */
function unopened({ coins }) {
  const name = element("span", {}, say("What chance decided: for your eyes only"));
  if (coins.length > 0) {
    const hidden = element("span", { class: "coins", "aria-hidden": "true" }, coin(), coin());
    const tap = element("span", { class: "hint" }, say("Tap to see your coins"));
    name.append(hidden, tap);
  }
  return name;
}

/** @param {Fallen} fell */
function whatChanceDid({ alone, coins }) {
  const fallen = { class: "coins", "data-coins": coins.join("") };
  const decided = alone
    ? say("Chance decided this time. Whatever you had answered, your phone would have sent this.")
    : say("This time chance let your answer count.");
  return [
    ...(coins.length > 0 ? [element("div", fallen, ...coins.map(coin))] : []),
    element("p", { "data-chance": alone ? "all" : "none" }, decided),
    ...(coins.length > 0 ? [hint(noRealCoins())] : []),
    hint(say("Anyone who sees this learns more than the class.")),
  ];
}

/** @param {string} words */
const title = (words) => element("h2", { class: "sent" }, words);

/** A coin: its side 0 is heads; of one that is covered no side is seen. @param {number} [side] */
function coin(side) {
  const size = { width: "3.5rem", height: "3.5rem" };
  const box = { class: "coin", viewBox: "-2 -1.5 14 14", ...size };
  const disc = svg("circle", { cx: "5", cy: "5.5", r: "7" });
  const letter = (/** @type {string} */ text) =>
    svg("text", { x: "5", y: "8.5", "text-anchor": "middle" }, text);
  if (side === undefined) return svg("svg", box, disc, letter("?"));
  const name = side === 0 ? say("heads") : say("tails");
  const shown = side === 0 ? svg("path", { d: people(0, 1) }) : letter("1");
  return element(
    "figure",
    {},
    svg("svg", { ...box, role: "img", "aria-label": name }, disc, shown),
    element("figcaption", { "aria-hidden": "true" }, name),
  );
}

/**
 * What is kept of some questions of a meeting.
 * @param {Storage | undefined} storage
 * @param {Partial<MeetingQuestion>} of
 */
export const keptOf = (storage, of) =>
  (storage ? entriesIn(storage) : [])
    .map((entry) => ({ ...readEntry(storage, entry.key), ...entry }))
    .filter(({ parent }) =>
      Object.entries(of).every(([name, value]) => Object(parent)[name] === value),
    );

/**
 * The last report that was kept of some questions, drawn once it is known what they ask. Nothing is
 * fetched before it is drawn for the first time: not while somebody answers.
 * @param {Storage | undefined} storage
 * @param {Partial<MeetingQuestion>} of
 * @returns {() => HTMLElement[]}
 */
export function reportKept(storage, of) {
  const place = (/** @type {DeviceEntry} */ { parent }) =>
    Object(parent).number * 1000 + Object(parent).run;
  /** @type {NoisyReport | undefined} */
  let sent;
  /** @type {SurveyDocument | undefined} */
  let asked;
  const ask = async (/** @type {NoisyReport} */ { survey, revision }) => {
    const found = await fetchSurvey(addressOf({ survey, kind: "meeting" }));
    if (found.revision === revision) asked = found;
    redraw(() => {});
  };
  return () => {
    if (!sent) {
      [sent] = keptOf(storage, of)
        .sort((one, other) => place(other) - place(one))
        .flatMap((entry) => entry.sent ?? []);
      // Of a meeting that is over nothing is left.
      if (sent) ask(sent).catch(() => {});
    }
    return asked && sent ? whatWasSent(translated(asked), sent) : [];
  };
}

const forgotten = () =>
  say(
    "What chance decided is forgotten: only the page that drew it knew it. So nobody can find it on this phone.",
  );

const noRealCoins = () =>
  say(
    "Your phone has no coins. It drew one random number when the page opened, before you answered. The coins show that number.",
  );
