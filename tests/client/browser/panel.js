/** Documents of surveys with waves, small enough to be worked out by hand. */

export const YES_NO_PERMANENT = [
  [3 * 2 ** 30, 2 ** 30],
  [2 ** 30, 3 * 2 ** 30],
];
// One in eight is redrawn: 7/8 of 3/4 and 1/8 of 1/4; and e^ε of it is 11/5.
export const YES_NO_WEIGHTS = [
  [11 * 2 ** 28, 5 * 2 ** 28],
  [5 * 2 ** 28, 11 * 2 ** 28],
];

const texts = (/** @type {string[]} */ codes) => codes.map((code) => ({ code, text: code }));

/**
 * A survey of two waves, with a question of two answers.
 * @returns {SurveyDocument}
 */
export function panel() {
  const question = { hint: "", type: /** @type {const} */ ("single"), prefer_not_to_say: false };
  const yesOrNo = texts(["no", "yes"]);
  return {
    survey: "panel",
    revision: "0".repeat(64),
    title: "Panel",
    introduction: "",
    epsilon: 1.098613,
    questions: [
      { ...question, id: "doped", text: "?", protection: "randomised", answers: yesOrNo, rows: [] },
    ],
    items: [
      {
        id: "doped",
        question: "doped",
        text: "?",
        truths: yesOrNo,
        reports: yesOrNo,
        epsilon: 1.098613,
        weights: structuredClone(YES_NO_WEIGHTS),
        permanent: structuredClone(YES_NO_PERMANENT),
        redraw: 2 ** 29,
        once: 0.788458,
      },
    ],
    waves: { count: 2, once: 0.788458, changing: 2 * 1.945911 },
  };
}

/** @param {number} own @param {number} other */
const three = (own, other) =>
  [0, 1, 2].map((at) => [0, 1, 2].map((to) => (at === to ? own : other)));

/**
 * The same with a question of three answers, and one that is sent as it is given.
 * @returns {SurveyDocument}
 */
export function largerPanel() {
  const survey = panel();
  const [doped] = survey.items;
  const [first] = survey.questions;
  const slept = texts(["badly", "so_so", "well"]);
  const age = texts(["young", "old"]);
  survey.questions = [
    first,
    { ...first, id: "slept", answers: slept },
    { ...first, id: "age", protection: "direct", answers: age },
  ];
  const sleep = {
    ...doped,
    id: "slept",
    question: "slept",
    truths: slept,
    reports: slept,
    // 1/2 and twice 1/4; 3 in 16 are redrawn: 15/32 of it and twice 17/64.
    permanent: three(2 ** 31, 2 ** 30),
    redraw: 2 ** 28,
    weights: three(15 * 2 ** 27, 17 * 2 ** 26),
    epsilon: 0.693148,
    once: 0.567985,
  };
  const weights = [
    [2 ** 32, 0],
    [0, 2 ** 32],
  ];
  const given = { truths: age, reports: age, epsilon: null, weights };
  survey.items = [doped, sleep, { id: "age", question: "age", text: "?", ...given }];
  survey.epsilon = 1.791761;
  // Of each wave 7 to 1, and 14 to 1.
  survey.waves = { count: 2, once: 1.356443, changing: 2 * 4.584968 };
  return survey;
}
