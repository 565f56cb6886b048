/**
 * The questions on the page, until the report is made of the answers.
 *
 * All that changes here is where somebody is, and what is drawn of it. What was answered stands in
 * the page's inputs alone, and is read from them whenever it is needed.
 */

import { makeReport, randomise } from "../core/report.js";
import { advanceByTap } from "./advance.js";
import { earlierReports, insteadOf } from "./person.js";
import { readAnswers } from "./answers.js";
import { comprehension } from "./comprehension.js";
import { consentTo } from "./consent.js";
import { deliver } from "./delivery.js";
import { element } from "./dom.js";
import { errorSummary, showMistakes } from "./errors.js";
import { buildForm, forgetAnswers, showSkipped } from "./form.js";
import { admit } from "./invitation.js";
import { label, openFrame, underWay, wayBack } from "./frame.js";
import { aboveStart, belowStart } from "./opening.js";
import { refuse } from "./refuse.js";
import { typedIn, wordEntries, wordsBeside } from "./pin.js";
import { review } from "./review.js";
import { whenClosed } from "./state.js";
import { wavesInWords } from "./waves.js";
import { drawnBy, say, translated } from "./say.js";
import { openHistory } from "./history.js";
import { arriveAt, goOn, mistakesOn, pagesOf, sceneOf, START, toChange } from "./navigation.js";

/** Whatever can be answered. @param {Paper} paper */
const fieldsIn = ({ consent, entries, clear }) =>
  [...consent, ...entries, ...(clear ? [clear] : [])].map(({ field }) => field);

export class Questionnaire {
  /**
   * @param {Session} session
   * @param {Chance} chance
   * @param {boolean[]} due which items this person is to report
   */
  constructor(session, chance, due) {
    this.session = session;
    this.chance = chance;
    this.due = due;
    this.ready = session.memory.ready(chance);
    this.frame = openFrame();
    // Decided once: whoever has a token needs no code, and has none typed in again.
    this.words = session.wanted.filter((name) => !(name === "code" && session.admission?.token));
    this.paper = this.layOut();
    this.view = START;
    const length = this.paper.pages.length + Number(this.paper.between);
    this.history = openHistory(START, length, (view) => this.arrive(view));
  }

  /** Show the first page, and follow what is done on it. */
  open() {
    this.listen();
    this.show(START);
    void whenClosed(this.session).then(() => this.frame.shell.before(...this.late()));
  }

  /**
   * The questions as they read in the language that is spoken.
   * @returns {Paper}
   */
  layOut() {
    const { survey } = this.session;
    const told = translated(survey);
    const entries = buildForm(told, this.chance.asked, this.due, this.chance.orders);
    const consent = [
      ...(this.words.length > 0 ? wordEntries(this.words, survey) : []),
      ...(survey.about?.consent ? consentTo(told) : []),
    ];
    const pages = pagesOf(survey, entries);
    const apart = pages[0].length === 0;
    const clear = survey.comprehension && comprehension(told, apart);
    /** What people agree to stands after the start, where it is a page of its own. */
    const later = apart ? consent.filter(({ question }) => question.id === "Consent") : [];
    return {
      told,
      entries,
      consent,
      later,
      pages,
      clear,
      between: later.length > 0 || Boolean(apart && clear),
    };
  }

  /** Read the answers, and let the questions that do not apply after them disappear. */
  read() {
    const reading = readAnswers(this.session.survey, this.paper.entries);
    showSkipped(this.paper.entries, reading);
    return reading;
  }

  /** @param {number[]} truths */
  report(truths) {
    const { survey, admission, memory } = this.session;
    const { id, words, asked } = this.chance;
    // Another tab may have kept the noise of a wave meanwhile: then it is drawn from that.
    if (survey.waves) this.ready = memory.ready(this.chance);
    const named = admission?.id ?? id;
    const bytes = randomise(survey, truths, words, this.due, this.ready, asked);
    return makeReport(survey, named, bytes, memory.wave?.number);
  }

  /**
   * @param {View} next
   * @returns {boolean} whether there is something on it that applies
   */
  show(next) {
    const reading = this.read();
    const view = arriveAt(this.paper.pages, next, reading);
    if (view === undefined) return false;
    this.view = view;
    this.complain([]);
    this.draw(sceneOf(this.paper.pages, view, reading), reading);
    return true;
  }

  /**
   * @param {Scene} scene
   * @param {Reading} reading
   */
  draw(scene, reading) {
    const { survey, root, memory, meeting } = this.session;
    const { told, clear, entries } = this.paper;
    const { button, shell, summary, news } = this.frame;
    const first = !scene.back;
    root.dataset.screen = first ? "start" : scene.shows;
    const waveNotes = survey.waves && wavesInWords(survey, memory.wave, this.session.closes);
    const notes = earlierReports(this.session, this.due);
    button.textContent = label(scene);
    shell.replaceChildren(...this.content(scene, reading), news, button);
    root.replaceChildren(
      ...wayBack(scene, () => this.history.back()),
      summary,
      ...this.late(),
      ...(first ? aboveStart(told, entries, notes, memory.works) : []),
      ...(first && clear && !clear.apart ? [clear.field] : []),
      shell,
      ...(first ? belowStart(told, entries, waveNotes) : []),
    );
    underWay(!first);
    meeting?.arrange(this.frame);
  }

  /** What is said once our server says that the survey has closed meanwhile. */
  late() {
    if (this.session.closes !== 0) return [];
    const closed = say("This survey has closed. What you send now may not be counted.");
    return [element("p", { class: "panel warning" }, closed)];
  }

  /**
   * @param {Scene} scene
   * @param {Reading} reading
   * @returns {HTMLElement[]}
   */
  content({ shows, entries, back }, reading) {
    const { told, clear, consent, later, pages, entries: all } = this.paper;
    const fields = (/** @type {Entry[]} */ those) => those.map(({ field }) => field);
    if (shows === "clear") return [...fields(later), ...(clear ? [clear.field] : [])];
    const first = back ? [] : consent.filter((one) => !later.includes(one));
    if (shows !== "review") return fields([...first, ...entries]);
    const change = (/** @type {Entry} */ entry) => this.history.go(toChange(pages, entry));
    return review(told, all, reading, this.report(reading.truths), change);
  }

  /** @param {Mistake[]} mistakes */
  complain(mistakes) {
    const { shell, summary } = this.frame;
    const shown = shell.querySelectorAll(".question:not([hidden])");
    showMistakes([...this.paper.consent, ...this.paper.entries], mistakes);
    errorSummary(summary, mistakes, shown.length === 1, this.session.meeting?.unwilling);
  }

  /** @param {View} next */
  arrive(next) {
    if (!this.show(next)) return false;
    window.scrollTo(0, 0);
    const { entry } = this.view;
    // It may have been drawn in another language since.
    const field = this.paper.entries.find(
      ({ question }) => question.id === entry?.question.id,
    )?.field;
    const heading = (field ?? this.session.root).querySelector(
      ":not([hidden]) > h2, section[tabindex]",
    );
    // What is taller than the screen would be scrolled to; a page begins at its top.
    if (heading instanceof HTMLElement) heading.focus({ preventScroll: !entry });
    return true;
  }

  /** Go on, unless something is missing; from the review, or at once in a meeting, it is sent. */
  proceed() {
    const { pages, later, between } = this.paper;
    const page = pages[this.view.place];
    const reading = this.read();
    const refused = this.refused();
    const mistakes = [...refused, ...mistakesOn(page, reading)];
    // Whoever takes the tick away later comes back to it.
    if (refused.length > 0 && page !== pages[START.place]) {
      this.history.go({ ...START, clear: refused.every(({ entry }) => later.includes(entry)) });
    }
    this.complain(mistakes);
    if (mistakes.length > 0) return;
    if (this.session.admission?.hidden) void this.admit();
    else if (page && !this.session.meeting)
      this.history.go(goOn(pages, this.view, reading, between));
    else this.send(reading.truths);
  }

  /** Exchange the code for a token, and go on. */
  async admit() {
    const { consent } = this.paper;
    const { button } = this.frame;
    button.disabled = true;
    try {
      const instruction = await admit(this.session, typedIn(consent, "code"));
      button.disabled = false;
      const entry = consent.find(({ question }) => question.id === "Code");
      if (instruction && entry?.control) {
        this.complain([{ entry, control: entry.control.element, instruction }]);
      } else this.proceed();
    } catch (error) {
      refuse(this.session.root, error);
    }
  }

  /** What is missing to what has to be agreed to, once it was shown. */
  refused() {
    const { consent, later } = this.paper;
    const { place, clear } = this.view;
    const shown =
      place > START.place || clear ? consent : consent.filter((one) => !later.includes(one));
    return readAnswers(this.session.survey, shown).mistakes;
  }

  /** @param {number[]} truths */
  send(truths) {
    const { session, chance, paper } = this;
    const { memory, wanted, admission, meeting } = session;
    // Another tab may have reported meanwhile: then that is sent again, or only what is left.
    const waiting = memory.report();
    this.due = memory.due(chance.asked);
    const instead = waiting ? undefined : insteadOf(session, this.due);
    const report = waiting ?? this.report(truths);
    const words = wanted.length > 0 && !waiting ? wordsBeside(admission, paper.consent) : undefined;
    if (!waiting && !instead) {
      if (words) memory.write({ words });
      meeting?.toss(chance.words);
      memory.keep(report, this.due, memory.price(this.due));
      // The token is kept with the report now, and goes with it.
      if (words) memory.write({ admission: undefined });
    }
    // From here on only the noise is left: a second click finds no form, going back no answer.
    forgetAnswers([...paper.consent, ...paper.entries]);
    this.history.end();
    if (instead) instead(session);
    else void deliver(session, report, words);
  }

  /** Questions on the same page come and go with the answers before them. */
  follow() {
    const number = () => this.paper.entries.filter(({ field }) => !field.hidden).length;
    const before = number();
    this.read();
    const count = number();
    const { news } = this.frame;
    if (count !== before) news.textContent = say("Number of questions now: {count}", { count });
  }

  listen() {
    const { shell } = this.frame;
    // Radio buttons settle which of them is ticked after the first of these events only.
    for (const event of ["input", "change"]) {
      shell.addEventListener(event, () => setTimeout(() => this.follow()));
    }
    // The second half of a double click would press what stands there on the page after this one.
    shell.addEventListener("click", (event) => {
      const { detail, target } = event;
      const pressed = target instanceof Element && target.closest("label, input, [type=submit]");
      if (detail > 1 && pressed) event.preventDefault();
    });
    shell.addEventListener("submit", (event) => {
      event.preventDefault();
      try {
        this.proceed();
      } catch (error) {
        refuse(this.session.root, error);
      }
    });
    if (this.session.survey.advance) advanceByTap(this);
    drawnBy((copyAnswers) => this.redraw(copyAnswers));
    this.forgetWhenLeft();
  }

  /**
   * Draw the same in another language.
   * @param {(from: HTMLElement[], to: HTMLElement[]) => void} copyAnswers
   */
  redraw(copyAnswers) {
    const before = fieldsIn(this.paper);
    const wrong = !this.frame.summary.hidden;
    this.paper = this.layOut();
    copyAnswers(before, fieldsIn(this.paper));
    this.show(this.view);
    if (!wrong) return;
    const mistakes = mistakesOn(this.paper.pages[this.view.place], this.read());
    this.complain([...this.refused(), ...mistakes]);
  }

  /**
   * Leave no answer behind for somebody who comes to the device later: browsers keep left pages, with
   * what was ticked in them, for the back button.
   */
  forgetWhenLeft() {
    window.addEventListener("pagehide", () => {
      forgetAnswers([...this.paper.consent, ...this.paper.entries]);
      this.paper.clear?.reset();
      this.history.forget();
      this.show(START);
    });
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) window.location.reload();
    });
  }
}
