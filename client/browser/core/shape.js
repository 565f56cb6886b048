/**
 * The shape of a document: every key that it can have, and what can stand there. All else is refused,
 * before anything is read.
 *
 * The adversary is a server that finds a value which two places of the program understand in two ways:
 * one that computes what is promised, and one that draws by it.
 */

import { ROW_SUM, isNatural, MAX_REPORTS } from "./channel.js";
import { Refusal } from "./refusal.js";

/**
 * What can stand somewhere: nothing is returned where it does, else the place within it that is wrong.
 * @typedef {(value: any) => string | undefined} Kind
 */

/** @param {(value: any) => boolean} fits @returns {Kind} */
const is = (fits) => (value) => (fits(value) ? undefined : "");

/** @param {RegExp} pattern @param {number} [most] letters */
const like = (pattern, most = 1e5) =>
  is((value) => typeof value === "string" && value.length <= most && pattern.test(value));

/** @param {number} least @param {number} [most] */
const whole = (least, most = ROW_SUM) =>
  is((value) => isNatural(value) && value >= least && value <= most);

/** @param {unknown[]} values */
const oneOf = (...values) => is((value) => values.includes(value));

/** @param {object} value @param {(key: string) => Kind | undefined} kindOf none for a key that there is not */
function within(value, kindOf) {
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined) continue;
    const kind = kindOf(key);
    if (!kind) return "";
    const place = kind(part);
    if (place !== undefined) return `/${key}${place}`;
  }
  return undefined;
}

/** @param {Kind} kind @param {number} [least] @param {number} [most] @returns {Kind} */
const list =
  (kind, least = 1, most = 1000) =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.length <= most
      ? within(value, () => kind)
      : "";

/** @param {any} value */
const hasKeys = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {RegExp} keys @param {Kind} kind @returns {Kind} */
const mapOf = (keys, kind) => (value) =>
  hasKeys(value) ? within(value, (key) => (keys.test(key) ? kind : undefined)) : "";

/** @param {Record<string, Kind>} needed @param {Record<string, Kind>} [more] @returns {Kind} */
function parts(needed, more = {}) {
  const kinds = new Map(Object.entries({ ...needed, ...more }));
  return (value) =>
    hasKeys(value) &&
    Object.keys(needed).every((key) => Object.hasOwn(value, key) && value[key] !== undefined)
      ? within(value, (key) => kinds.get(key))
      : "";
}

/**
 * Controls, what turns the direction of a text, and marks upon marks: an answer could read otherwise
 * than it is sent, or be painted over. No script needs more than four marks on a letter.
 */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]|(\p{M}\p{Cf}*){5}/u;

/** @type {Kind} */
const aText = (value) => {
  if (!HIDDEN.test(value)) return typeof value === "string" ? undefined : "";
  throw new Refusal("its texts contain characters that cannot be seen");
};

/** Under its name a device keeps what it knows of a survey: a colon would end it. */
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const ID = /^[a-z][a-z0-9_]{0,63}$/;
const ANSWER_CODE = /^[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,99}$/u;
const LANGUAGES = /^[a-z]{2}$/;
const TEXTS = /^(organisation|contact|help|complaints|purpose|consent|approval|results)$/;

/** What can be called, written to, or visited by TLS; and where the way out leads, if anywhere. */
export const LINK =
  /^(tel:\+?[0-9][0-9.-]*|mailto:[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+|https:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[!-~]*)?)$/;
const SITE = /^(none$|https?:\/\/[^/])/;
/** Without a query or a fragment, which could be one person's own. */
const PANEL = /^https:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[!"$->@-~]*)?$/;
/** A picture in the document, and a colour: an address would be asked for by who sees it. */
const LOGO = /^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/;

const anId = like(ID);
const aLink = like(LINK);
const aUnit = like(/^[a-z][a-z0-9_]{0,63}(\.[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,99})?$/u);
const someIds = list(anId);
/** Of ε: it is above nothing, and has an end. */
const amount = is((value) => Number.isFinite(value) && isNatural(Math.ceil(value)));
const amountOrNone = is((value) => value === null || amount(value) === undefined);
const aTable = list(list(whole(0), 2, MAX_REPORTS), 2, MAX_REPORTS);
const someAnswers = (least = 0) =>
  list(parts({ code: like(ANSWER_CODE), text: aText }), least, MAX_REPORTS);
const byCode = mapOf(ANSWER_CODE, aText);

const QUESTION = parts(
  {
    id: anId,
    text: aText,
    hint: aText,
    type: oneOf("single", "many", "number", "grid"),
    protection: oneOf("randomised", "direct"),
    prefer_not_to_say: oneOf(true, false),
    answers: someAnswers(1),
    rows: someAnswers(),
  },
  {
    ask: whole(1),
    order: oneOf("random"),
    ask_if: list(parts({ item: whole(0), answers: list(whole(0)) })),
    statements: someAnswers(2),
    known: list(whole(0, 1e6)),
    yes: like(ANSWER_CODE),
  },
);

const ITEM = parts(
  {
    id: aUnit,
    question: anId,
    text: aText,
    truths: someAnswers(2),
    reports: someAnswers(2),
    epsilon: amountOrNone,
    weights: aTable,
  },
  { permanent: aTable, redraw: whole(0), once: amount },
);

const TRANSLATION = parts(
  {
    title: aText,
    introduction: aText,
    questions: mapOf(
      ID,
      parts({ text: aText, hint: aText }, { answers: byCode, rows: byCode, statements: byCode }),
    ),
  },
  { about: mapOf(TEXTS, aText) },
);

const ABOUT = parts(
  {},
  {
    organisation: aText,
    contact: aText,
    contact_link: aLink,
    minutes: whole(1, 600),
    purpose: aText,
    help: aText,
    help_link: aLink,
    complaints: aText,
    complaints_link: aLink,
    approval: aText,
    consent: aText,
    results: aText,
    delete_reports: like(/^\d{4}-\d\d-\d\d$/),
    panel: like(PANEL),
    logo: like(LOGO, 8000),
    colour: like(/^#[0-9a-f]{6}$/),
  },
);

const MEETING = parts({
  code: like(/^[A-Z0-9]+$/),
  number: whole(1),
  run: whole(1),
  asks: oneOf("randomised", "direct", "prior"),
});

const DOCUMENT = parts(
  {
    survey: like(SLUG),
    title: aText,
    introduction: aText,
    epsilon: amount,
    questions: list(QUESTION),
    items: list(ITEM),
  },
  {
    kind: oneOf("trial", "meeting"),
    address: oneOf("named"),
    ask: parts({ count: whole(1), questions: list(aUnit) }, { chances: list(whole(1, 99)) }),
    together: list(parts({ questions: someIds, other: whole(1) })),
    pages: oneOf("one", "each"),
    order: oneOf("random"),
    branch: oneOf("hidden"),
    waves: parts(
      { count: whole(2, 254) },
      { people: oneOf("others"), once: amount, changing: amountOrNone },
    ),
    languages: list(like(LANGUAGES)),
    translations: mapOf(LANGUAGES, TRANSLATION),
    same_fact: someIds,
    comprehension: oneOf(true),
    advance: oneOf("auto"),
    batch: whole(1, 1000),
    about: ABOUT,
    token_keys: list(like(/^[0-9a-f]+$/)),
    exit: like(SITE),
    parent: (value) => (typeof value === "string" ? like(SLUG) : MEETING)(value),
  },
);

/**
 * @param {SurveyDocument} survey
 * @throws {Refusal} that says where something else stands than can stand there
 */
export function checkShape(survey) {
  // What this device found out of it stands in no document.
  const found = { revision: undefined, checkNumbers: undefined, earlier: undefined };
  const place = DOCUMENT({ ...survey, ...found });
  if (place !== undefined) throw misshapen(place || "/");
}

/** The words of a language by their places, and the languages. @type {Kind} */
const WORDING = (value) =>
  hasKeys(value)
    ? within(value, (key) => {
        if (key === "languages") return list(like(LANGUAGES));
        return LANGUAGES.test(key) ? mapOf(/^[^]/, aText) : undefined;
      })
    : "";

/**
 * Read a line of JSON in which each key stands once: of two, readers could take one or the other.
 * @param {string} line @param {boolean} [isWording]
 */
export function parseLine(line, isWording = false) {
  let keys = 0;
  const value = JSON.parse(line, (_key, part) => {
    if (hasKeys(part)) keys += Object.keys(part).length;
    return part;
  });
  const written = line.replace(/"(?:[^"\\]|\\.)*"/g, "").split(":").length - 1;
  if (written !== keys) throw misshapen("/");
  const place = isWording ? WORDING(value) : undefined;
  if (place !== undefined) throw misshapen(place);
  return value;
}

/** @param {string} place */
const misshapen = (place) =>
  new Refusal("its part “{place}” is not in the form that every survey has", { place });
