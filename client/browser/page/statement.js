/**
 * Warner's own form on the page: the spinner, the statement that it points to, and whether it is true.
 */

import { ROW_SUM, sample } from "../core/channel.js";
import { chosen } from "./answers.js";
import { radioGroup } from "./choices.js";
import { element, folded, hint, OWN, paragraph, points } from "./dom.js";
import { timesIn100 } from "./odds.js";
import { svg } from "./pictures.js";
import { say } from "./say.js";

/** What can be sent, by its byte. */
export const replies = () => [say("Not true of me"), say("True of me")];

/** The path of an answer, where all that is randomised has a spinner. */
export const spinnerPath = () => [
  say("Chance picks a statement"),
  say("Only you see which one"),
  say("Only your reply is sent"),
];

export const spinnerMark = () => say("Only you know which statement you got.");

/** @param {number} count how often it is the first, of 100 times */
export const statementIsPicked = (count) =>
  say("Chance shows you one of two statements, the first {times}. Only your reply to it is sent.", {
    times: timesIn100(count),
  });

/** What the mark means, and at the end what it meant. */
export const whatIsSpun = () =>
  say(
    "Your reply is sent just as you give it. Chance picks the statement, and only this device knows which one. So your reply alone does not say for certain what is true of you.",
  );

export const howRepliesAreSent = () =>
  say(
    "Your reply to a statement is sent just as you give it. Only this device knows which statement it was.",
  );

export const whichIsTrue = () => say("Pretend that one of these is true of you. Tap it.");

/** Of made-up replies, all of one truth. @param {number[]} made */
export const spunInWords = (made) =>
  say("The spinner pointed to this statement {count} of 10 times. The replies do not show when.", {
    count: made.filter((reply) => reply).length,
  });

/**
 * @param {string} name starts the ids of its elements
 * @param {Question} question
 * @param {Item} item
 * @param {number} word by which the spinner points
 * @returns {Control}
 */
export function statementField(name, { statements = [] }, { weights }, word) {
  const pointed = sample(weights, 1, word);
  const texts = statements.map(({ text }) => text);
  const group = radioGroup(name, replies(), [1]);
  const field = element(
    "div",
    { "data-pointed": String(pointed) },
    paragraph(say("The pointer shows this statement:")),
    element(
      "div",
      // Which of both it is belongs to the answer.
      { ...OWN, class: "spinner" },
      disc(weights[1][0] / ROW_SUM, word / ROW_SUM, discInWords(texts, weights[1], pointed)),
      element("p", { class: "statement", id: `${name}-statement` }, texts[pointed]),
    ),
    group.element,
    folded("colours", say("What the colours mean"), [
      element(
        "ul",
        { class: "hint sectors" },
        ...points(
          texts.map((statement, place) =>
            say("{share} in 100: {statement}", {
              share: shareOfDisc(weights[1], place),
              statement,
            }),
          ),
        ),
      ),
      element(
        "div",
        { id: `${name}-sent` },
        hint(say("Only this reply is sent. The statement is not.")),
        hint(say("Reloading the page does not turn the pointer again.")),
      ),
    ]),
  );
  const gap = () => ({ control: group.first, instruction: say("Choose an answer") });
  group.element.setAttribute("role", "group");
  group.element.setAttribute("aria-labelledby", `${name}-statement`);
  group.element.setAttribute("aria-describedby", `${name}-sent`);
  return {
    element: field,
    read: () => [chosen(group.value(), gap) ? pointed : 1 - pointed],
    said: () => [say("“{question}”", { question: texts[pointed] }), replies()[group.value() ?? 0]],
    // What was sent and where the pointer stood would tell the truth together: neither stays.
    reset: () => {
      group.reset();
      field.replaceChildren();
    },
  };
}

/** How much of the disc a statement has, in hundredths. @param {number[]} row @param {number} place */
const shareOfDisc = (row, place) => Math.round((100 * row[place]) / ROW_SUM);

/**
 * @param {string[]} texts
 * @param {number[]} row
 * @param {number} pointed
 */
function discInWords([first, second], row, pointed) {
  const shares = { share: shareOfDisc(row, 0), first, second };
  return say(
    "A disc with a pointer. {share} in 100 of the disc stand for “{first}”, and the rest for “{second}”. The pointer shows “{statement}”.",
    { ...shares, statement: pointed ? second : first },
  );
}

/**
 * Where the pointer is drawn, in degrees: in its sector, and 16 degrees from its edges, so that
 * nobody takes it for the other one; in the middle of a smaller sector.
 * @param {number} share of the first sector
 * @param {number} turn where it points
 */
export function drawnAt(share, turn) {
  const [from, to] = turn < share ? [0, share] : [share, 1];
  const edge = Math.min(16 / 360, (to - from) / 2);
  return 360 * (from + edge + ((turn - from) / (to - from)) * (to - from - 2 * edge));
}

/**
 * A disc with two sectors, the first of them from the top clockwise, and a pointer.
 * @param {number} share of the first
 * @param {number} turn how far the pointer is from the top
 * @param {string} words what is seen, for those who do not see it
 */
function disc(share, turn, words) {
  const [x, y] = [Math.sin, Math.cos].map((of) => 48 * of(2 * Math.PI * share));
  const sector = `M50 50V2A48 48 0 ${Number(share > 0.5)} 1 ${50 + x} ${50 - y}z`;
  const pointer = svg("path", { class: "pointer", d: "M45 50L50 6L55 50A5 5 0 1 1 45 50z" });
  return svg(
    "svg",
    { class: "disc", viewBox: "0 0 100 100", role: "img", "aria-label": words },
    svg("circle", { cx: "50", cy: "50", r: "48" }),
    svg("path", { class: "filled", d: sector }),
    svg("g", { transform: `rotate(${drawnAt(share, turn)} 50 50)` }, pointer),
  );
}
