/**
 * A class that answers together: a phone waits for the question, answers it, and shows what it sent.
 *
 * Where the class is, a phone reads at an address that is the same for everybody, and sends nothing
 * to learn it. The adversary is a presenter who asks the same again for fresh chance: each run has a
 * name of its own, so that this device knows it, says what it costs, and asks only who agrees. Where
 * reports were removed, the one that was sent is sent again, bit by bit.
 */

import { sample } from "../core/channel.js";
import { fetchSame } from "../core/fetching.js";
import { readEntry } from "../core/memory.js";
import { bytesOf } from "../core/report.js";
import { entriesIn } from "../core/storage.js";
import { element, folded, pressed } from "./dom.js";
import { revealed } from "./revealed.js";
import { drawnBy, fragment, say, translated } from "./say.js";

/** Milliseconds between two looks at where the class is. */
const PAUSE = 2000;

/** The names of a meeting's questions: its code, the question, the run, and what is asked directly. */
const NAME = /^meeting-([a-z0-9]+)-(\d+)-(\d+)(-direct|-prior)?$/;

/**
 * What is special about a survey of a meeting; undefined of any other.
 *
 * @param {Device} device
 * @param {SurveyDocument} survey
 * @returns {MeetingHere | undefined}
 */
export function joined({ root, storage }, survey) {
  const [name, code, number, , direct] = NAME.exec(survey.survey) ?? [];
  const { meeting = "", round = "" } = root.dataset;
  if (!name || meeting === "") return undefined;
  if (!root.dataset.follows) void follow(root, meeting, `${name} ${round}`);
  root.dataset.follows = "yes";
  /** Whether the last report was sent before. */
  let repeated = false;
  /** Whether any answer would have been sent as this report. @type {boolean | undefined} */
  let chance;
  return {
    keeping: (memory) => ({
      ...memory,
      report: () => {
        const { sent, round: when } = memory.kept();
        repeated = !memory.report() && sent !== undefined && when !== round;
        return memory.report() ?? (repeated ? sent : undefined);
      },
      settle: (report, outcome) => {
        memory.settle(report, outcome);
        // Forgotten meanwhile, it stays so.
        if (outcome === "stored" && !direct && memory.kept().reported) {
          memory.write({ sent: report, round });
        }
      },
    }),
    notes: () => (direct ? [saidOfTotals()] : [saidOfReports()]),
    agrees: (price) =>
      price > 0 && wasAsked(storage, `meeting-${code}-${number}-`, survey.survey)
        ? agreeTo(root, [...entriesOf(storage, code), { spent: price }])
        : Promise.resolve(true),
    toss: (words) => {
      const [item] = survey.items;
      const drawn = item.truths.map((_truth, place) => sample(item.weights, place, words[0]));
      const spun = survey.questions.some(({ statements }) => statements);
      chance = direct || spun ? undefined : new Set(drawn).size === 1;
    },
    decided: () => chance,
    kept,
    arrived: () => (repeated ? sentAgain() : arrived()),
    after: (report) => [
      ...(direct ? [] : whatWasSent(translated(survey), report, chance)),
      ...total(storage, code),
    ],
  };
}

/**
 * The page on which a phone waits.
 *
 * @param {HTMLElement} root
 * @param {Storage | undefined} storage
 */
export function waitIn(root, storage) {
  const { meeting = "", code = "" } = root.dataset;
  const heading = element("h2", { tabindex: "-1" });
  const text = element("p", {});
  const panel = element("div", { class: "panel", role: "status" }, heading, text);
  const draw = () => {
    const { step } = root.dataset;
    [heading.textContent, text.textContent] = step === "over" ? itIsOver() : waits(step);
    root.replaceChildren(panel, ...total(storage, code));
  };
  root.dataset.screen = "waiting";
  drawnBy(draw);
  draw();
  void follow(root, meeting, "", draw);
  if (isNew(storage, code)) fetchSame(`${meeting}/step.json?joins`).catch(() => undefined);
}

/**
 * Whether this phone was not here before, as far as it can tell: a class counts phones, and not how
 * often each of them loads a page. The address says whether a question led back to it.
 *
 * @param {Storage | undefined} storage
 * @param {string} code
 */
function isNew(storage, code) {
  const ways = performance.getEntriesByType("navigation").map((way) => way.toJSON().type);
  const came = ways.every((type) => type === "navigate");
  return came && !location.search && entriesOf(storage, code).length === 0;
}

/**
 * Follow a class from step to step, as long as the page is open.
 *
 * @param {HTMLElement} root
 * @param {string} meeting its address
 * @param {string} here what this page asks, and in which round; empty where it waits
 * @param {() => void} draw
 */
async function follow(root, meeting, here, draw = () => {}) {
  for (;;) {
    const now = document.hidden ? undefined : await stepOf(meeting);
    if (now) {
      const asks = NAME.test(now.asks) && `${now.asks} ${now.round}`;
      // Who has sent a report may look at it until something else is asked.
      const done = root.dataset.screen === "report" || root.dataset.screen === "answered";
      if (asks && asks !== here) return goTo(`/s/${now.asks}`);
      if (!asks && here && !done) return goTo(`${meeting}?again`);
      root.dataset.step = now.step;
      draw();
    }
    await new Promise((wake) => setTimeout(wake, PAUSE));
  }
}

/**
 * Go on to a page, or open the same one anew: an address that differs by its fragment alone would not.
 *
 * @param {string} path
 */
function goTo(path) {
  if (path === location.pathname) location.reload();
  else location.replace(path + fragment());
}

/** @param {string} meeting @returns {Promise<MeetingStep | undefined>} */
async function stepOf(meeting) {
  try {
    return JSON.parse(new TextDecoder().decode(await fetchSame(`${meeting}/step.json`)));
  } catch {
    return undefined; // the next look may find it again
  }
}

/** What is kept of the reports to a meeting. @param {Storage | undefined} storage @param {string} code */
function entriesOf(storage, code) {
  const own = storage ? entriesIn(storage).filter(({ survey }) => within(survey, code)) : [];
  return own.map(({ key }) => readEntry(storage, key));
}

/** @param {string} survey @param {string} code */
const within = (survey, code) => survey.startsWith(`meeting-${code}-`);

/**
 * Whether a question was answered on this device in another run.
 *
 * @param {Storage | undefined} storage
 * @param {string} question what the names of all its runs begin with
 * @param {string} now
 */
function wasAsked(storage, question, now) {
  const own = storage ? entriesIn(storage) : [];
  return own.some(
    ({ survey, key }) =>
      survey.startsWith(question) && survey !== now && (readEntry(storage, key).spent ?? 0) > 0,
  );
}

/**
 * Ask whether somebody agrees to what a new report costs.
 *
 * @param {HTMLElement} root
 * @param {DeviceEntry[]} entries of this and all earlier reports
 * @returns {Promise<boolean>}
 */
function agreeTo(root, entries) {
  root.dataset.screen = "agree";
  return new Promise((answer) => {
    const draw = () => {
      const heading = element("h2", { tabindex: "-1" }, say("The same question again"));
      const yes = pressed("", say("Answer again"), () => answer(true));
      const no = pressed("quiet", say("Only look on"), () => {
        lookOn(root);
        answer(false);
      });
      yes.dataset.agree = "yes";
      no.dataset.agree = "no";
      const told = [
        say(
          "This time there is new chance, so a second report reveals more. Your reports in this meeting, with it:",
        ),
        ...revealed(entries),
      ];
      root.replaceChildren(
        element(
          "div",
          { class: "panel" },
          heading,
          ...told.map((line) => element("p", {}, line)),
          yes,
          " ",
          no,
        ),
      );
    };
    drawnBy(draw);
    draw();
  });
}

/** @param {HTMLElement} root */
function lookOn(root) {
  const draw = () => {
    const [heading, text] = waits("bars");
    root.replaceChildren(
      element("div", { class: "panel" }, element("h2", {}, heading), element("p", {}, text)),
    );
  };
  root.dataset.screen = "answered";
  drawnBy(draw);
  draw();
}

/**
 * The coins as they fall, and the report; what chance decided is for the person alone to open.
 *
 * @param {SurveyDocument} survey
 * @param {NoisyReport} report
 * @param {boolean | undefined} chance
 */
function whatWasSent({ items: [item] }, report, chance) {
  const sent = item.reports[bytesOf(report.answers)[0]].text;
  const coins = element("div", { class: "coins", "aria-hidden": "true" });
  coins.append(...["", ""].map(() => element("span", { class: "coin" })));
  const secret = chance
    ? say("Chance decided this time. Whatever you had answered, your phone would have sent this.")
    : say("This time chance let your answer count.");
  return [
    element(
      "div",
      { class: "panel fell", "data-sent": String(bytesOf(report.answers)[0]) },
      coins,
      element("p", { class: "sent" }, say("Your phone sent: “{report}”", { report: sent })),
      ...(chance === undefined
        ? []
        : [
            folded("secret", say("What chance decided: for your eyes only"), [
              element("p", { "data-chance": chance ? "all" : "none" }, secret),
              element("p", { class: "hint" }, say("Whoever sees this learns more than the class.")),
            ]),
          ]),
    ),
  ];
}

/** What they have revealed. @param {Storage | undefined} storage @param {string} code */
function total(storage, code) {
  const lines = revealed(entriesOf(storage, code));
  if (lines.length === 0) return [];
  const where = say("See “What this device remembers”.");
  const said = [say("Your reports in this meeting:"), ...lines, where].join(" ");
  return [element("p", { class: "hint", "data-revealed": true }, said)];
}

/** @param {string | undefined} step */
const waits = (step) => [
  step === undefined || step === "waiting" ? say("You have joined") : say("Look at the big screen"),
  say("Leave this page open. It moves on by itself."),
];

const itIsOver = () => [say("This meeting is over"), say("You can close this page now.")];

const arrived = () => [
  say("Thank you. It has arrived."),
  say("Leave this page open. It moves on by itself."),
];

const sentAgain = () => [
  say("Your phone sent the same report again"),
  say("There is no new chance in it, so it reveals nothing more."),
];

const kept = () =>
  say(
    "This browser remembers that you answered, and how much your reports can reveal. It keeps what was sent, to send the same again if the class begins again. It does not keep your answers. You can make it forget under “What this device remembers”.",
  );

const saidOfReports = () =>
  say("Your class sees each report as soon as it comes. Nobody sees from whom it came.");

const saidOfTotals = () =>
  say(
    "No chance is mixed into this answer. Your class sees how many have answered. It sees totals only after the question is closed, and if at least 10 people answered. You may leave it out.",
  );
