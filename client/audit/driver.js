/**
 * Runs the respondent's modules in Node with truths of somebody's choosing, and watches what they do.
 *
 * It is loaded first, so that no module can take a hold of what it replaces. The modules are called
 * as the page calls them. That the page does so, and nothing else, is for `visiting.py` to see.
 *
 * The adversary is a module that draws from another source than it says, or lets a truth into
 * another part of the message.
 */

(() => {
  /**
   * @typedef {typeof import("./program.js")} Program
   * @typedef {{truths: number[], words: number[], wave: number}} Case
   * @typedef {{requests: {body: string, rest: string}[], problem: string | null}} Outcome
   */

  const random = Math.random;
  const source = Object.getPrototypeOf(globalThis.crypto);
  const fill = source.getRandomValues;

  /** What the traps saw. */
  const seen = {
    mathRandom: 0,
    /** @type {{body: string, address: string, rest: object}[]} */
    requests: [],
  };
  const stored = new Response('{"status":"stored"}', { status: 201 });

  /** Words to hand out instead of random ones. @type {number[] | undefined} */
  let tape;
  let draws = 0;

  Math.random = () => {
    seen.mathRandom += 1;
    return random();
  };

  source.getRandomValues = function (/** @type {Uint32Array} */ array) {
    draws += 1;
    if (tape === undefined) {
      fill.call(this, array);
    } else if (!(array instanceof Uint32Array) || array.length !== tape.length) {
      throw new Error(`${array.length} words were asked for, expected ${tape.length}`);
    } else {
      array.set(tape);
    }
    return array;
  };

  globalThis.fetch = async (address, { body, ...rest } = {}) => {
    seen.requests.push({ body: String(body), address: String(address), rest });
    return stored;
  };

  /** @type {Program} */
  let program;
  /** @type {SurveyDocument} */
  let survey;
  let spins = false;

  /**
   * Load the modules.
   * @param {{program: string, survey: SurveyDocument}} job `program` is the address of a module that
   *   exports the others
   */
  async function load(job) {
    program = await import(job.program);
    for (const name of ["drawAll", "randomise", "makeReport", "send"]) {
      if (typeof Reflect.get(program, name) !== "function") throw new Error(`it has no ${name}`);
    }
    survey = job.survey;
    spins = survey.questions.some(({ statements }) => statements);
    return {};
  }

  /**
   * Answer the survey as the page does, from the draw to the message.
   * @param {number[]} truths
   * @param {number} wave 0 in a survey without waves
   */
  async function answer(truths, wave) {
    const randomness = (/** @type {Uint32Array<ArrayBuffer>} */ words) => {
      crypto.getRandomValues(words);
    };
    const { id, words, asked } = program.drawAll(survey, randomness, []);
    const ready = survey.waves
      ? program.readyReports(survey, words, program.drawMaps(survey, words))
      : spins
        ? program.readyReplies(survey, words)
        : [];
    const bytes = program.randomise(survey, truths, words, asked, ready, asked);
    const made = program.makeReport(survey, id, bytes, wave);
    await program.send(`${program.addressOf(survey)}reports`, made);
  }

  /**
   * Answer with known words: what is sent is then known to the letter.
   * @param {{cases: Case[]}} job
   * @returns {Promise<{outcomes: Outcome[]}>}
   */
  async function exact({ cases }) {
    const outcomes = [];
    for (const { truths, words, wave } of cases) {
      tape = words;
      draws = 0;
      seen.requests = [];
      /** @type {string | null} */
      let problem = null;
      try {
        await answer(truths, wave);
        if (draws !== 1) problem = `randomness was asked for ${draws} times, expected once`;
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
      const requests = seen.requests.map(({ body, address, rest }) => ({
        body,
        rest: JSON.stringify([address, rest]),
      }));
      outcomes.push({ requests, problem });
    }
    tape = undefined;
    return { outcomes };
  }

  /**
   * Answer with the browser's own randomness, many times.
   * @param {{truths: string, head: string, middle: string, tail: string}} job the truths, a byte for
   *   each item of each run, in base64; and what stands in a message before its id, between its id
   *   and its answers, and after them
   * @returns {Promise<{answers: string, odd: string[], oddities: number}>} the answers in the same
   *   form; messages of another form, some of them and their number
   */
  async function sample({ truths, head, middle, tail }) {
    const items = survey.items.length;
    const given = fromBase64(truths);
    const answers = new Uint8Array(given.length);
    const start = head.length + 32 + middle.length;
    const end = start + 2 * items;
    const odd = [];
    let oddities = 0;
    for (let run = 0; run < given.length; run += items) {
      seen.requests = [];
      await answer(Array.from(given.subarray(run, run + items)), survey.waves ? 1 : 0);
      const body = seen.requests[0]?.body ?? "";
      const whole =
        seen.requests.length === 1 &&
        body.length === end + tail.length &&
        body.startsWith(head) &&
        body.startsWith(middle, head.length + 32) &&
        body.endsWith(tail);
      for (let item = 0; item < items; item += 1) {
        answers[run + item] = hexByte(body, start + 2 * item);
      }
      if (!whole) {
        oddities += 1;
        if (odd.length < 3) odd.push(body);
      }
    }
    return { answers: toBase64(answers), odd, oddities };
  }

  /** What the traps have seen so far. */
  async function watched() {
    return { mathRandom: seen.mathRandom };
  }

  /**
   * @param {string} text
   * @param {number} place
   */
  function hexByte(text, place) {
    return 16 * hexDigit(text.charCodeAt(place)) + hexDigit(text.charCodeAt(place + 1));
  }

  /** @param {number} code */
  function hexDigit(code) {
    return code < 58 ? code - 48 : code - 87;
  }

  /** @param {string} text */
  function fromBase64(text) {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  }

  /** @param {Uint8Array} bytes */
  function toBase64(bytes) {
    let text = "";
    for (let start = 0; start < bytes.length; start += 8192) {
      text += String.fromCharCode(...bytes.subarray(start, start + 8192));
    }
    return btoa(text);
  }

  Object.assign(globalThis, { deniableAudit: { load, exact, sample, watched } });
})();
