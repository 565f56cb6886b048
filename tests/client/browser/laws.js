/**
 * What a document really reveals, whatever it says.
 *
 * The law is found by running the program, exactly: what it sends changes only where a word crosses
 * a running sum of a row in the document, so that one word between each two of them is enough.
 */

const ALL_WORDS = 2 ** 32;

/** Cells of a whole report's law that are gone through at most; above, items are taken apart. */
const MOST_CELLS = 1e6;

/** What is sent where the program breaks down: nothing, and the server notices. */
const NOTHING = "nothing";

/**
 * The program of the page, as far as it decides.
 * @typedef {typeof import("../../../client/browser/core/protocol.js") &
 *   typeof import("../../../client/browser/core/chance.js") &
 *   typeof import("../../../client/browser/core/report.js") &
 *   typeof import("../../../client/browser/core/order.js") &
 *   typeof import("../../../client/browser/core/branching.js") &
 *   typeof import("../../../client/browser/core/statement.js") &
 *   typeof import("../../../client/browser/core/together.js") &
 *   typeof import("../../../client/browser/core/wordings.js") &
 *   typeof import("../../../client/browser/core/waves.js")} Program
 */

/**
 * Load it from a folder, perhaps an altered copy.
 * @param {string} folder an address that ends with a slash
 * @returns {Promise<Program>}
 */
export async function programIn(folder) {
  const names = "protocol chance report order branching waves statement together wordings".split(
    " ",
  );
  const modules = await Promise.all(names.map((name) => import(`${folder}core/${name}.js`)));
  return Object.assign({}, ...modules);
}

/**
 * The places where words are told apart.
 * @param {number[][]} rows by which anything is drawn
 * @returns {[number, number][]} the first word of each stretch, and its share of all words
 */
function stretches(rows) {
  const starts = new Set([0]);
  for (const row of rows) {
    let sum = 0;
    for (const weight of row) starts.add((sum += weight));
  }
  const sorted = [...starts].filter((word) => word < ALL_WORDS).sort((one, other) => one - other);
  return sorted.map((word, at) => [word, ((sorted[at + 1] ?? ALL_WORDS) - word) / ALL_WORDS]);
}

/**
 * The largest ratio within a column, as an ε.
 * @param {Map<string, number>[]} laws of each truth, how likely each report is
 */
function worst(laws) {
  let largest = 0;
  for (const report of new Set(laws.flatMap((law) => [...law.keys()]))) {
    const column = laws.map((law) => law.get(report) ?? 0);
    const most = Math.max(...column);
    // Less than one word in 2^64 is what is left of 0 by rounding.
    if (most > 1e-19) largest = Math.max(largest, Math.log(most / Math.min(...column)));
  }
  return largest;
}

/**
 * The truths of a question's items that a person can give: as in page/controls.js.
 * @param {Program} program
 * @param {SurveyDocument} survey
 * @param {Question} question
 * @param {Item[]} items
 * @returns {number[][]} the possible ones, each a truth for each item
 */
function possible(program, survey, question, items) {
  const { type, prefer_not_to_say: declines, answers } = question;
  if (program.isShownToAll(survey, question)) {
    const others = possible(program, { ...survey, branch: "hidden" }, question, items);
    return [...others, items.map((item) => program.skippedTruth(item))];
  }
  const each = (/** @type {number} */ count) => items.map(() => [...Array(count).keys()]);
  switch (type) {
    case "many":
      return [...every(each(2)), ...(declines ? [items.map(() => 2)] : [])];
    case "number":
      return every(each(answers.length + Number(Boolean(declines))));
    case "single":
    case "grid":
      return every(items.map((item) => [...program.offered(question, item).keys()]));
    default:
      throw new Error("no control");
  }
}

/**
 * Every choice of one of each.
 * @template T
 * @param {T[][]} lists
 * @returns {T[][]}
 */
function every(lists) {
  return lists.reduce(
    (/** @type {T[][]} */ all, list) => all.flatMap((one) => list.map((value) => [...one, value])),
    [[]],
  );
}

/**
 * Everything that chance can have drawn to be asked, each by a run of the program.
 * @param {Program} program
 * @param {SurveyDocument} survey
 * @returns {boolean[][]}
 */
function patterns(program, survey) {
  const draws = program.drawsOf(survey);
  const shuffles = program.shufflesOf(survey);
  const ways = draws.map(({ choices, count, chances }) =>
    chances
      ? Array.from({ length: 128 }, (_one, at) => [at * 2 ** 25])
      : every(choices.map(() => [0, 1]))
          .filter((drawn) => drawn.filter(Boolean).length === count)
          .map((those) => those.map((one, place) => (one ? 1 : 100) + place)),
  );
  const found = every(ways).map((drawn) => {
    const tail = drawn.flat();
    const after = shuffles.flatMap(([, count]) => [...Array(count).keys()]);
    const words = [...tail, ...after];
    const randomness = (/** @type {Uint32Array} */ tape) => {
      tape.forEach((_word, at) => (tape[at] = at));
      tape.set(words, tape.length - words.length);
    };
    return JSON.stringify(program.drawAll(survey, randomness, []).asked);
  });
  return [...new Set(found)].map((asked) => JSON.parse(asked));
}

/**
 * What one report reveals to whoever receives it, by the law of all reports for all truths.
 * @param {Program} program
 * @param {SurveyDocument} survey without waves, or of other people in each
 * @returns {{items: number[], together: number, whole: boolean, asked: boolean[][]}} ε of each item
 *   by itself, of the whole report, whether that was found as a whole, and what can be drawn
 */
export function revealedOnce(program, survey) {
  const { items, questions } = survey;
  const places = questions.map((question) => program.placesOf(survey, question));
  const given = questions.map((question, at) =>
    possible(
      program,
      survey,
      question,
      places[at].map((place) => items[place]),
    ),
  );
  /**
   * What is true of each item after these answers: as in page/answers.js.
   * @param {number[][]} answers
   */
  const truthsOf = (answers) => {
    const truths = items.map(() => 0);
    /** @type {number[]} */
    const before = [];
    questions.forEach((question, at) => {
      const applies = program.applies(survey, question, before);
      places[at].forEach((place, index) => {
        if (applies) truths[place] = before[place] = answers[at][index];
        else truths[place] = program.skippedTruth(items[place]);
      });
    });
    return truths;
  };
  const groups = groupsIn(program, survey);
  const steps = items.map(({ weights }, place) => {
    const group = groups.find(({ places: those }) => those.includes(place));
    if (!group) return stretches(weights);
    // All of it is drawn by the word of the first.
    return place === group.places[0] ? stretches(group.rows) : stretches([]);
  });
  const own = items.map(({ question, epsilon }, place) => {
    if (epsilon === null) return 0;
    const group = groups.find(({ places: those }) => those.includes(place));
    if (group) {
      const whole = items.map((_item, other) => group.places.includes(other));
      const cells = group.cells.map((cell) =>
        items.map((_item, other) => cell[group.places.indexOf(other)] ?? 0),
      );
      return worst(
        cells.map((those) => lawOf(program, survey, those, whole, steps, group.places.slice(0, 1))),
      );
    }
    const at = questions.findIndex(({ id }) => id === question);
    const index = places[at].indexOf(place);
    const asked = items.map((_item, other) => other === place);
    const truths = new Set(given[at].map((answers) => answers[index]));
    if (questions[at].ask_if) truths.add(program.skippedTruth(items[place]));
    return worst(
      [...truths].map((truth) =>
        lawOf(program, survey, fill(items, place, truth), asked, steps, [place]),
      ),
    );
  });
  const direct = questions.map((_question, at) =>
    places[at].some((p) => items[p].epsilon === null),
  );
  const asked = patterns(program, survey);
  const answers = given.reduce((product, those) => product * those.length, 1);
  const words = steps.reduce((product, those) => product * those.length, 1);
  const whole = answers * words * asked.length <= MOST_CELLS;
  if (!whole) {
    const sums = asked.map((those) => own.reduce((sum, ε, at) => sum + (those[at] ? ε : 0), 0));
    return { items: own, together: Math.max(...sums), whole, asked };
  }
  const all = items.map((_item, place) => place);
  let together = 0;
  for (const pattern of asked) {
    /** Two people who differ in what is randomised alone, by what they give directly. */
    /** @type {Map<string, Map<string, Map<string, number>>>} */
    const crowds = new Map();
    for (const one of every(given)) {
      const told = JSON.stringify(one.filter((_answers, at) => direct[at]));
      const crowd = crowds.get(told) ?? new Map();
      crowds.set(told, crowd);
      const truths = orNothing(() => truthsOf(one));
      const key = String(truths);
      if (crowd.has(key)) continue;
      // What cannot be is mended on the page, before anything is sent.
      if (Array.isArray(truths) && program.contradictions(survey, truths).length > 0) continue;
      const law = Array.isArray(truths)
        ? lawOf(program, survey, truths, pattern, steps, all)
        : new Map([[NOTHING, 1]]);
      crowd.set(key, law);
    }
    for (const crowd of crowds.values()) together = Math.max(together, worst([...crowd.values()]));
  }
  return { items: own, together, whole, asked };
}

/**
 * The groups of a survey, with the rows by which each is drawn.
 * @param {Program} program
 * @param {SurveyDocument} survey
 */
function groupsIn(program, survey) {
  return (survey.together ?? []).map((group) => {
    const cells = program.cellsOf(survey, group);
    const own = ALL_WORDS - (cells.length - 1) * group.other;
    const rows = cells.map((_cell, at) =>
      cells.map((_other, to) => (to === at ? own : group.other)),
    );
    return { places: program.placesIn(survey, group), cells, rows };
  });
}

/**
 * What is sent: nothing where the program breaks down, by those of whom it is true.
 * @template T
 * @param {() => T} make
 */
function orNothing(make) {
  try {
    return make();
  } catch {
    return NOTHING;
  }
}

/** @param {Item[]} items @param {number} place @param {number} truth */
const fill = (items, place, truth) => items.map((_item, at) => (at === place ? truth : 0));

/** As the page has it. @param {Program} program @param {SurveyDocument} survey @param {Uint32Array} words */
const replied = (program, survey, words) =>
  survey.questions.some(({ statements }) => statements) ? program.readyReplies(survey, words) : [];

/**
 * How likely each report is to these truths.
 * @param {Program} program
 * @param {SurveyDocument} survey
 * @param {number[]} truths
 * @param {boolean[]} asked
 * @param {[number, number][][]} steps of each item
 * @param {number[]} varied the places of the items whose words are gone through
 * @returns {Map<string, number>}
 */
function lawOf(program, survey, truths, asked, steps, varied) {
  const law = new Map();
  const words = new Uint32Array(survey.items.length);
  const go = (/** @type {number} */ next, /** @type {number} */ share) => {
    if (next < varied.length) {
      for (const [word, width] of steps[varied[next]]) {
        words[varied[next]] = word;
        go(next + 1, share * width);
      }
      return;
    }
    const sent = orNothing(() => {
      const bytes = program.randomise(
        survey,
        truths,
        words,
        asked,
        replied(program, survey, words),
      );
      return program.makeReport(survey, "", bytes).answers;
    });
    law.set(sent, (law.get(sent) ?? 0) + share);
  };
  go(0, 1);
  return law;
}

/** All words that a survey draws: 1, 2, 3. @param {Program} program @param {SurveyDocument} survey */
const wordsInOrder = (program, survey) =>
  program.drawAll(survey, (drawn) => drawn.forEach((_, at) => (drawn[at] = at + 1)), []).words;

/**
 * The law of what is sent of an item in waves.
 * @param {Program} program
 * @param {SurveyDocument} survey
 * @param {number} place
 * @returns {{share: number, laws: number[][]}[]} of each stretch of the word that decides what is
 *   kept its share, and for each truth how likely each report then is
 */
function sampledInWaves(program, survey, place) {
  const words = wordsInOrder(program, survey);
  const item = survey.items[place];
  const { weights, permanent = [[]], redraw = 0 } = item;
  const group = groupsIn(program, survey).find(({ places }) => places.includes(place));
  if (group && group.places[0] !== place) return [];
  const places = group?.places ?? [place];
  // Of what is sent as one, cells are true and reported.
  const [cells, rows] = [group?.cells ?? weights.map((_row, truth) => [truth]), group?.rows];
  const same = ALL_WORDS - (permanent[0].length - 1) * redraw;
  const redrawn = permanent[0].map((_report, kept) =>
    permanent[0].map((_other, sent) => (sent === kept ? same : redraw)),
  );
  const steps = stretches([...(rows ?? weights), ...permanent, ...redrawn]);
  return steps.map(([kept, share]) => {
    words.fill(kept, survey.items.length);
    const maps = program.drawMaps(survey, words);
    // One column more: nothing is sent.
    const laws = (rows ?? weights).map((row) => [...row, 0].map(() => 0));
    for (const [word, width] of steps) {
      words[place] = word;
      const ready = program.readyReports(survey, words, maps);
      laws.forEach((law, truth) => {
        const truths = survey.items.map((_item, at) => cells[truth][places.indexOf(at)] ?? 0);
        const sent = orNothing(() => {
          const bytes = program.randomise(survey, truths, words, [], ready);
          const own = places.map((at) => bytes[at]);
          return group ? cells.findIndex((cell) => String(cell) === String(own)) : own[0];
        });
        law[typeof sent === "number" ? sent : law.length - 1] += width;
      });
    }
    return { share, laws };
  });
}

/**
 * What an item really reveals: by one report, by three while the truth stays, and by a change. Of a
 * group the first does it for all.
 * @param {Program} program
 * @param {SurveyDocument} survey
 * @param {number} place
 */
export function revealedInWaves(program, survey, place) {
  const given = sampledInWaves(program, survey, place);
  if (given.length === 0) return { once: 0, longitudinal: 0, changing: 0 };
  const truths = given[0].laws.map((_law, truth) => truth);
  const reports = given[0].laws[0].map((_chance, report) => report);
  const asMap = (/** @type {number[]} */ law) => new Map(law.map((one, at) => [String(at), one]));
  const waves = (/** @type {number} */ count) => {
    const sent = every(Array.from({ length: count }, () => reports));
    return truths.map((truth) =>
      asMap(
        sent.map((those) =>
          given.reduce(
            (sum, { share, laws }) =>
              sum + those.reduce((product, report) => product * laws[truth][report], share),
            0,
          ),
        ),
      ),
    );
  };
  return {
    once: worst(waves(1)),
    longitudinal: worst(waves(3)),
    // Between any two noisy answers that may be kept.
    changing: worst(given.flatMap(({ laws }) => laws.map(asMap))),
  };
}

/**
 * What chance decides otherwise than the page says: it may draw each of its choices, and a question
 * together with the one whose answer it needs.
 * @param {Program} program
 * @param {SurveyDocument} survey
 * @param {boolean[][]} found all that chance can have drawn
 * @returns {string[]}
 */
function drawnOtherwise(program, survey, found) {
  const never = program
    .drawsOf(survey)
    .flatMap(({ places }) => places.flat())
    // A sort puts what is undefined last, so that nothing without a name is drawn of a question.
    .filter((place) => survey.items[place].id && !found.some((asked) => asked[place]));
  // Only these are linked: what says otherwise of a question draws it by itself.
  const randomised = survey.questions.filter(({ protection }) => protection === "randomised");
  const apart = randomised.flatMap(({ id, ask_if: needs = [] }) => {
    const own = survey.items.findIndex(({ question }) => question === id);
    const needed = needs.filter(({ item }) => survey.items[item]?.epsilon !== null);
    return needed.filter(({ item }) =>
      found.some((asked) => own >= 0 && asked[own] !== asked[item]),
    );
  });
  return [
    ...never.map((place) => `${survey.items[place].id}: never drawn`),
    ...apart.map(({ item }) => `${survey.items[item].id}: drawn without what follows it`),
  ];
}

/**
 * Whether the page would come to ask anything.
 * @param {Program} program
 * @param {SurveyDocument} survey
 * @returns {string | undefined} why not
 */
export function refusalOf(program, survey) {
  try {
    program.checkPromise(survey);
    const words = wordsInOrder(program, survey);
    if (survey.waves) program.readyReports(survey, words, program.drawMaps(survey, words));
    replied(program, survey, words);
    survey.questions.forEach((question) => {
      program.applies(survey, question, []);
      possible(
        program,
        survey,
        question,
        program.placesOf(survey, question).map((place) => survey.items[place]),
      );
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * What is not as an accepted survey promises, by the law that its program really samples.
 * @param {Program} program
 * @param {SurveyDocument} survey
 * @returns {{broken: string[], whole: boolean}}
 */
export function judge(program, survey) {
  // Every ε is rounded to millionths before they are added.
  const rounding = (survey.items.length + 1) * 0.5e-6 + 1e-9;
  /** @type {string[]} */
  const broken = [];
  const atMost = (
    /** @type {number} */ found,
    /** @type {unknown} */ said,
    /** @type {string} */ what,
  ) => {
    if (!(found <= Number(said) + rounding)) broken.push(`${what}: ${found}, said to be ${said}`);
  };
  if (!survey.waves || survey.waves.people === "others") {
    const { items, together, whole, asked } = revealedOnce(program, survey);
    items.forEach((found, place) => {
      const { id, epsilon } = survey.items[place];
      if (epsilon !== null) atMost(found, epsilon, id);
    });
    atMost(together, survey.epsilon, "together");
    broken.push(...drawnOtherwise(program, survey, asked));
    return { broken, whole };
  }
  const sums = { once: 0, longitudinal: 0, changing: 0 };
  survey.items.forEach(({ id, epsilon, once }, place) => {
    if (epsilon === null) return;
    const own = revealedInWaves(program, survey, place);
    if (own.once > 0) atMost(own.once, once, `${id} once`);
    atMost(own.longitudinal, epsilon, `${id} in all`);
    sums.once += own.once;
    sums.longitudinal += own.longitudinal;
    sums.changing += own.changing;
  });
  // As the page reads them when it says them in odds.
  const { count, once, changing } = Object(survey.waves);
  atMost(sums.once, once, "once");
  atMost(sums.longitudinal, survey.epsilon, "in all");
  atMost(count * sums.changing, changing === null ? Infinity : changing, "whatever changes");
  return { broken, whole: false };
}
