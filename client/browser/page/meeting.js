/**
 * A class that answers together: a phone waits for the question, answers it, and shows what it sent.
 *
 * Where the class is, a phone reads at an address that is the same for everybody, and sends nothing
 * to learn it. The adversary is a presenter who asks the same again for fresh chance: the document says
 * which run it is, so that this device knows it, says what it costs, and asks only who agrees. Where
 * reports were removed, the one that was sent is sent again, bit by bit.
 */

import { fetchSame } from "../core/fetching.js";
import { marksOf } from "../core/memory.js";
import { bytesOf } from "../core/report.js";
import { addressOf } from "./address.js";
import { keptOf, reportKept, whatFell, whatWasSent } from "./coins.js";
import { arrange, unwilling } from "./asked.js";
import { element, inParagraphs, pressed } from "./dom.js";
import { underWay } from "./frame.js";
import { revealed } from "./revealed.js";
import { drawnBy, fragment, locale, redraw, say, translated } from "./say.js";
import { drawWaiting, hasEnded, inPrivate, itIsOver, leaveOpen, withStep } from "./wall.js";

/** Milliseconds between two looks at where the class is, and seconds that one may take. */
const PAUSE = 2000;
const PATIENCE_OF_A_LOOK = 8;

/** The screens on which a phone waits. */
const WAITING = ["waiting", "report", "answered"];

/** The steps at which a class talks of what each phone sent. */
const OWN_STEPS = ["coins", "sent"];

/**
 * What is special about a survey of a meeting; undefined of any other.
 * @param {Device} device
 * @param {SurveyDocument} survey
 * @param {number} now which round it is in
 * @param {(session: Session, report: NoisyReport) => Promise<Outcome>} deliver
 * @returns {MeetingHere | undefined}
 */
export function joined({ root, storage }, survey, now, deliver) {
  const { kind, survey: name, parent, items } = survey;
  if (kind !== "meeting" || typeof parent !== "object") return undefined;
  let round = String(now);
  const { code, number, run, asks } = parent;
  const direct = asks !== "randomised" || items.some(({ epsilon }) => epsilon === null);
  /** Whether the last report was sent before. */
  let repeated = false;
  /** What chance decided. It stands here alone, and goes with the page. @type {Fallen | undefined} */
  let fell;
  /** Whose report has arrived. @type {Session | undefined} */
  let session;
  const before = reportKept(storage, { code, number, run });
  const look = (at = "") => lookOn(root, () => [...total(root, storage, code), ...before()], at);
  const leave = () => look(page.here);
  /** @param {MeetingStep} next whether it is asked here, without opening the page anew */
  const again = (next) => {
    const { sent, round: when } = session?.memory.kept() ?? {};
    if (!session || !sent || direct || next.asks !== name || when !== round) return false;
    round = String(next.round);
    repeated = true;
    void deliver(session, sent);
    return true;
  };
  const page = { here: `${name} ${round}`, again, ...(asks === "prior" && { look }) };
  if (!root.dataset.follows) void follow(root, storage, `/join/${code}`, page);
  root.dataset.follows = "yes";
  return {
    person: keptOf(storage, { code })[0]?.person,
    keeping: (memory) => ({
      ...memory,
      report: () => {
        const { sent, round: when } = memory.kept();
        repeated = !memory.report() && sent !== undefined && when !== round;
        return memory.report() ?? (repeated ? sent : undefined);
      },
      settle: (report, outcome) => {
        memory.settle(report, outcome);
        // It is kept nowhere, and shown as long as this page is open.
        if (asks === "prior") [root.dataset.guess] = [...bytesOf(report.answers)].map(String);
        // Forgotten meanwhile, it stays so.
        if (outcome === "stored" && !direct && memory.kept().reported)
          memory.write({ sent: report, round });
      },
    }),
    arrange: (frame) => arrange(frame, direct && asks === "randomised" ? "direct" : asks, leave),
    unwilling,
    agrees: (price, person) => {
      const earlier = keptOf(storage, {}).filter((one) => one.parent && one.person === person);
      const isOther = price === 0 || !wasAsked(earlier, survey, parent);
      return isOther || agreeTo(root, [...earlier, inAdvance(survey, price)], look);
    },
    toss: ([word]) => {
      const spun = survey.questions.some(({ statements }) => statements);
      fell = direct || spun ? undefined : whatFell(survey.items[0], word);
    },
    kept,
    arrived: () => newsOfClass(root, asks, repeated),
    after: (done, report) => {
      session = done;
      const own = direct ? before() : whatWasSent(translated(survey), report, fell);
      return [...withStep(root, own, direct), ...total(root, storage, code)];
    },
    look,
  };
}

/**
 * The page on which a phone waits.
 * @param {HTMLElement} root
 * @param {Storage | undefined} storage
 */
export function waitIn(root, storage) {
  const { meeting = "", code = "" } = root.dataset;
  const before = reportKept(storage, { code });
  root.dataset.screen = "waiting";
  drawWaiting(root, () => [
    // A question that is yet to come has no report.
    ...(root.dataset.step === "waiting" ? [] : before()),
    ...total(root, storage, code),
  ]);
  void follow(root, storage, meeting, { here: "" });
  if (isNew(storage, code)) fetchSame(`${meeting}/step.json?joins`, meeting).catch(() => undefined);
}

/**
 * Whether this phone was not here before, as far as it can tell: a class counts phones, and not how
 * often each of them loads a page. The address says whether a question led back to it.
 * @param {Storage | undefined} storage
 * @param {string} code
 */
function isNew(storage, code) {
  const ways = performance.getEntriesByType("navigation").map((way) => way.toJSON().type);
  const came = ways.every((type) => type === "navigate");
  return came && !location.search && keptOf(storage, { code }).length === 0;
}

/**
 * Follow a class from step to step, as long as the page is open.
 * @param {HTMLElement} root
 * @param {Storage | undefined} storage
 * @param {string} meeting its address
 * @param {object} page
 * @param {string} page.here what it asks, and in which round; empty where it waits
 * @param {(now: MeetingStep) => boolean} [page.again]
 * @param {() => void} [page.look] of a guess: shows the class to who has guessed
 */
async function follow(root, storage, meeting, { here, again = () => false, look }) {
  const news = element("p", { class: "hint", role: "status" });
  /** What was asked before the guess. */
  let before = "";
  // What this page was loaded for: if something else is here, it is not loaded for that again.
  let { changes, aim } = takeNote(meeting);
  for (;;) {
    const looks = !document.hidden;
    const now = looks ? await stepOf(meeting, changes) : undefined;
    const { screen = "" } = root.dataset;
    const isWaiting = WAITING.includes(screen);
    const lost = isWaiting && now === undefined;
    if (looks) tellAbove(root, news, lost);
    if (now) {
      const name = nowAsked(root, storage, now, here);
      const asks = name && `${name} ${now.round}`;
      // Sent back from there, a phone that waits goes there once more if something has changed.
      if (asks !== aim || (!here && now.changes > changes)) aim = "";
      changes = now.changes;
      // Who has sent a report may look at it until something else is asked, or is to be seen.
      const done = here && isWaiting;
      const sees = screen !== "report" || !now.scene || asks || OWN_STEPS.includes(now.step);
      const { step, scene } = root.dataset;
      root.dataset.open = asks;
      root.dataset.step = now.step;
      root.dataset.scene = JSON.stringify(now.scene);
      if (asks === here && now.first) before = `${now.first} ${now.round}`;
      if (look && done && asks !== here && [before, ""].includes(asks)) {
        // The page is not left, as it alone knows what was guessed.
        look();
        here = before || here;
      } else if (asks && asks !== here) {
        const path = addressOf({ survey: name, kind: "meeting" });
        if (!again(now) && asks !== aim) return goTo(path, [meeting, changes, asks]);
        here &&= asks;
      }
      if (!asks && here && !(done && sees)) return goTo(`${meeting}?again`, [meeting, changes]);
      const moved = step !== now.step || scene !== root.dataset.scene;
      if (moved && (!here || WAITING.includes(root.dataset.screen ?? ""))) {
        redraw(() => {});
        if (step !== now.step) scrollTo(0, 0);
      }
    }
    await new Promise((wake) => setTimeout(wake, PAUSE));
  }
}

/**
 * What this phone is asked: of who comes late, the question before what it leads to.
 * @param {HTMLElement} root
 * @param {Storage | undefined} storage
 * @param {MeetingStep} now
 * @param {string} here
 */
function nowAsked(root, storage, { first, asks, round }, here) {
  const isAt = (/** @type {string} */ name) => here === `${name} ${round}`;
  if (!first || isAt(asks)) return asks;
  const isDone = isAt(first)
    ? root.dataset.screen === "answered" || root.querySelector("[data-outcome=stored]")
    : keptOf(storage, {}).some(({ survey }) => survey === first);
  return isDone ? asks : first;
}

/** Say above a page that waits that the class is lost. @param {HTMLElement} root @param {HTMLElement} news @param {boolean} lost */
function tellAbove(root, news, lost) {
  // What waits to be sent need not wait any longer.
  if (!lost && news.matches(".lost")) dispatchEvent(new Event("online"));
  news.classList.toggle("lost", lost);
  if (!lost) return news.remove();
  const words = say(
    "The connection is lost. Leave this page open: it keeps looking, and goes on by itself.",
  );
  news.lang = locale();
  // The root goes from language to language, and this after it.
  if (news.nextSibling !== root) root.before(news);
  if (news.textContent !== words) news.textContent = words;
}

/**
 * Go on to a page, or open the same one anew: an address that differs by its fragment alone would not.
 * @param {string} path
 * @param {unknown[]} note for the page that comes, wherever the server leads to from there
 */
function goTo(path, note) {
  // The name of a tab outlasts its pages. The page of a question keeps its spinners there.
  window.name = [...notesOf(), note.join(" ")].join(",");
  if (path !== location.pathname) return location.replace(path + fragment());
  location.reload();
}

/**
 * Take the note of the page that led here; without one a person did.
 * @param {string} meeting
 * @returns {{changes: number, aim: string}} the changes that it knew of, and what is to be asked here
 */
function takeNote(meeting) {
  const isHere = (/** @type {string} */ note) => note.startsWith(`${meeting} `);
  const [, changes = 0, ...aim] = notesOf().find(isHere)?.split(" ") ?? [];
  window.name = String(notesOf().filter((note) => !isHere(note)));
  // Who opens the address of the code again, as from the big screen, is led to the question again.
  const isOpenedAnew = location.pathname === meeting && !location.search;
  return { changes: Number(changes), aim: isOpenedAnew ? "" : aim.join(" ") };
}

const notesOf = () => window.name.split(",").filter(Boolean);

/** @param {string} meeting @param {number} changes @returns {Promise<MeetingStep | undefined>} */
async function stepOf(meeting, changes) {
  try {
    return await fetchSame(`${meeting}/step.json`, meeting, PATIENCE_OF_A_LOOK, changes);
  } catch {
    return undefined; // the next look may find it again
  }
}

/**
 * Whether a question was answered in another run, or as another that reads alike: also in another
 * meeting, to which a presenter can lead a class unasked.
 * @param {ReturnType<typeof keptOf>} entries
 * @param {SurveyDocument} asked
 * @param {MeetingQuestion} question
 */
function wasAsked(entries, asked, { code, number }) {
  const marks = marksOf(asked);
  return entries.some(({ survey, parent, reported = {}, spent = 0 }) => {
    const isRun = Object(parent).code === code && Object(parent).number === number;
    const isAlike = isRun || marks.some((mark) => mark in reported);
    return survey !== asked.survey && spent > 0 && isAlike;
  });
}

/** What a report will have cost, and which question it is of. @type {(survey: SurveyDocument, spent: number) => DeviceEntry} */
const inAdvance = (survey, spent) => ({
  parent: survey.parent,
  reported: Object.fromEntries(marksOf(survey).map((mark) => [mark, 0])),
  spent,
});

/**
 * Ask whether somebody agrees to what a new report costs.
 * @param {HTMLElement} root
 * @param {DeviceEntry[]} entries of this and all earlier reports
 * @param {() => void} look
 * @returns {Promise<boolean>}
 */
function agreeTo(root, entries, look) {
  root.dataset.screen = "agree";
  return new Promise((answer) => {
    const draw = () => {
      const heading = element("h2", { tabindex: "-1" }, say("The same question again"));
      const yes = pressed("", say("Answer again"), () => answer(true));
      const no = pressed("quiet", say("Only look on"), () => {
        look();
        answer(false);
      });
      yes.dataset.agree = "yes";
      no.dataset.agree = "no";
      const told = [
        say(
          "This time there is new chance, so a second report reveals more. Your reports in all meetings, with it:",
        ),
        ...revealed(entries),
      ];
      root.replaceChildren(
        element("div", { class: "panel" }, heading, ...inParagraphs(told), yes, " ", no),
      );
    };
    drawnBy(draw);
    draw();
  });
}

/** @type {(root: HTMLElement, below: () => HTMLElement[], left: string) => void} */
function lookOn(root, below, left) {
  root.dataset.screen = "answered";
  underWay(true);
  drawWaiting(root, () => [...undone(left, root), ...below()], "bars");
}

/** What was left out can be answered, as long as it is open. @param {string} left @param {HTMLElement} root */
const undone = (left, { dataset: { open = left } }) =>
  left && open === left ? [pressed("quiet", say("Answer after all"), () => location.reload())] : [];

/**
 * What they have revealed.
 * @param {HTMLElement} root
 * @param {Storage | undefined} storage
 * @param {string} code
 */
function total(root, storage, code) {
  // What the server had as it was given is deleted with the meeting.
  const lines = revealed(keptOf(storage, { code }), { areDeleted: hasEnded(root) });
  if (lines.length === 0) return [];
  const where = say("See “What this device remembers”.");
  const said = [say("Your reports in this meeting:"), ...lines, where].join(" ");
  const words = element("p", { class: "hint", "data-revealed": true }, said);
  // What was said openly stays in the open.
  const { scene = "null", step, screen } = root.dataset;
  const isOpen = scene === "null" || screen === "report" || step === "direct" || hasEnded(root);
  return [isOpen ? words : inPrivate(root, words)];
}

const arrived = () => [say("Thank you. Your report has arrived."), leaveOpen()];

/**
 * What is told once a report has arrived.
 * @param {HTMLElement} root
 * @param {MeetingQuestion["asks"]} asks
 * @param {boolean} repeated whether it was sent before
 */
function newsOfClass(root, asks, repeated) {
  if (hasEnded(root)) return itIsOver();
  if (repeated) return sentAgain();
  return asks === "prior" ? guessed(root) : arrived();
}

/** @param {HTMLElement} root */
const guessed = ({ dataset: { guess = "" } }) => [
  say("You guessed {count}\u00a0%", { count: guess }),
  leaveOpen(),
];

const sentAgain = () => [
  say("Your phone sent the same report again"),
  say("There is no new chance in it, so it reveals nothing more."),
];

const kept = () =>
  say(
    "This browser remembers that this question was answered here, and how much your reports can reveal. It keeps what was sent, to send the same again if the class begins again. It does not keep your answers.",
  );
