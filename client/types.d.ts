/**
 * What the modules in browser/core/ and browser/page/ hand to one another. Types only: no browser ever loads this file,
 * which keeps what a respondent's phone has to load small.
 */

interface Answer {
  code: string;
  text: string;
}

/** What a person reads. */
interface Question {
  id: string;
  text: string;
  /** Its text in the survey's first language, where it is read in another. */
  first?: string;
  hint: string;
  type: "single" | "many" | "number" | "grid";
  protection: "randomised" | "direct";
  prefer_not_to_say: boolean;
  answers: Answer[];
  rows: Answer[];
  /** How many of its items each person is asked, if not all. */
  ask?: number;
  /** The order of its answers, options or rows. */
  order?: "random";
  /** It applies to those who gave one of these truths to each of these items, by their places. */
  ask_if?: { item: number; answers: number[] }[];
  /** For each answer, what somebody says of whom it is true: a spinner points to one of the two. */
  statements?: Answer[];
}

/** What is randomised: one channel, one byte of a report. */
interface Item {
  id: string;
  question: string;
  text: string;
  truths: Answer[];
  reports: Answer[];
  /** Null if it is sent as it is given. */
  epsilon: number | null;
  /** Of one report. */
  weights: number[][];
  /** Of what is asked in waves: the channel of the noisy answer that a device keeps to each truth (of a
   * group, at its first item: of the noisy cell to each cell), */
  permanent?: number[][];
  /** how much each other report weighs when a wave's report is drawn from it, */
  redraw?: number;
  /** and the ε of one report; `epsilon` is then that of all of them, while the answer stays. */
  once?: number;
}

/** The texts of a survey in one language; of a question by its id, of an answer by its code. */
interface Texts {
  title: string;
  introduction: string;
  /** Those of `About` that are texts. */
  about?: Record<string, string>;
  questions: Record<
    string,
    {
      text: string;
      hint: string;
      answers: Record<string, string>;
      rows: Record<string, string>;
      statements?: Record<string, string>;
    }
  >;
}

/** What a survey says of itself: who asks, whom to ask, how long it takes, why, and who helps. */
interface About {
  organisation?: string;
  contact?: string;
  contact_link?: string;
  minutes?: number;
  purpose?: string;
  help?: string;
  help_link?: string;
  /** Whom to complain to, and who approved the study. */
  complaints?: string;
  complaints_link?: string;
  approval?: string;
  /** What people have to agree to first, in paragraphs. */
  consent?: string;
  /** Where its results will stand: a sentence, or an address. */
  results?: string;
  /** The day on which the server deletes all reports, such as "2028-01-31". */
  delete_reports?: string;
  panel?: string;
  logo?: string;
  colour?: string;
}

/** Questions that are randomised as one answer: the weight of each cell that is not true. */
interface Together {
  questions: string[];
  other: number;
}

/** What gives the address of a survey. */
interface Addressed {
  survey: string;
  kind?: "trial" | "meeting";
  /** Whether its name is in it. */
  address?: "named";
}

/** The protocol document, as a device holds it. */
interface SurveyDocument extends Addressed {
  /** The SHA-256 of its structure, in hex digits: of the first line that came. */
  revision: string;
  /** The check number of each wording, over all lines up to there; people compare the last. */
  checkNumbers?: string[];
  /** As it read before it was corrected, in each wording but the last. */
  earlier?: SurveyDocument[];
  title: string;
  introduction: string;
  epsilon: number;
  questions: Question[];
  items: Item[];
  /** How many of some units each person is asked, and the chances of each: questions, or items. */
  ask?: { count: number; questions: string[]; chances?: number[] };
  /** The questions that are randomised as one answer. */
  together?: Together[];
  /** How many questions stand on a page; "each" by default. */
  pages?: "one" | "each";
  /** The order of the questions. */
  order?: "random";
  /** Whether this device decides who is asked a follow-up to a randomised answer. */
  branch?: "hidden";
  /** How often it is asked; of the same people the ε of one report, and of all whatever changes if bounded. */
  waves?: { count: number; people?: "others"; once?: number; changing?: number | null };
  /** English alone by default; the texts above are in the first. */
  languages?: string[];
  /** By each language but the first. */
  translations?: Record<string, Texts>;
  /** The questions that ask about one fact, each with chance of its own. */
  same_fact?: string[];
  /** Whether two questions about the protection come first. */
  comprehension?: true;
  /** Whether a tap on one of two answers leads on. */
  advance?: "auto";
  /** By how many reports at once the researchers see more; 10 by default. */
  batch?: number;
  about?: About;
  /** Of a survey by invitation: the key of its tokens, one for each wave. */
  token_keys?: string[];
  /** Where "Leave quickly" leads, if not to the site that the page names; or "none". */
  exit?: string;
  /** Of which survey a trial is, or which question of a meeting. */
  parent?: string | MeetingQuestion;
}

/** What depends on the day, and stands in no document. */
interface SurveyState {
  /** When it closes, in seconds since 1970, if that is planned; 0 once our server says that it has. */
  closes: number | null;
  /** Which wave is on, from 1. */
  wave: number;
  /** What was handed out with the link, and is asked for. */
  words: string[];
  /** How often a class was asked, of a question of a meeting. */
  round: number | null;
}

/** What the program says in a language; in English only the key of each sentence. */
declare const WORDS: Record<string, { name: string; direction: string; sentences: string[] }>;

/** Which question of which meeting, in which run, and how it is asked. */
interface MeetingQuestion {
  code: string;
  number: number;
  run: number;
  asks: "randomised" | "direct" | "prior";
}

/** How far one answer by itself can be told. */
type Tier = "hint" | "strong hint" | "close to proof";

/** In which colour a bound is told. */
type Colour = "calm" | "amber" | "red";

/** A bound in words. */
interface Told {
  text: string;
  colour: Colour;
}

/** The same of a survey in waves whatever changes: of all reports of one question, and of all. */
interface OverWaves {
  changed: number;
  changing: number;
  isUnlimited: boolean;
  /** What of one answer and of all, if the browser forgets; up to this wave if it has nothing. */
  forgot: number;
  forgotAll: number;
  isNew: boolean;
}

/** So many of these choices, each the id of a unit or of one item of a question. */
interface Draw {
  count: number;
  choices: string[];
  /** How likely each is; all alike if there are none. */
  chances?: number[];
  /** The places of each choice's items in a report. */
  places: number[][];
}

/**
 * Orders that were drawn: of a question's answers, options or rows by its id, of all questions by "".
 * Of two statements it is the word by which a spinner points to one of them.
 */
type Orders = Map<string, number[]>;

/** All that chance decides on a page. */
interface Chance {
  id: string;
  /** One for each item. */
  words: Uint32Array;
  /** What is asked, of every draw. */
  chosen: string[];
  /** Whether each item is. */
  asked: boolean[];
  orders: Orders;
}

/** All that ever leaves a device: two hex digits an item, whatever was answered. */
interface NoisyReport {
  survey: string;
  revision: string;
  id: string;
  /** Of a survey in waves: the one that is on, from 1, in two hex digits. */
  wave?: string;
  answers: string;
}

/** Fills an array with uniform 32-bit words. */
type Randomness = (words: Uint32Array<ArrayBuffer>) => void;

/** What a page needs of the device that it is on. */
interface Device {
  root: HTMLElement;
  randomness: Randomness;
  /** Where the memories of all surveys are; undefined where the browser forbids it. */
  storage: Storage | undefined;
  /** The tab, whose name outlives the page. */
  tab: { name: string };
}

/** Texts by their places, by language. */
type Wording = { languages: string[] } & Record<string, any>;

/** What a device keeps of a survey and a person: everything that the page ever stores. */
interface DeviceEntry extends Partial<Pick<SurveyDocument, "title" | "address" | "parent">> {
  /** The latest wave in which each question was reported, or 0, by their marks. */
  reported?: Record<string, number>;
  /** Millionths of ε that all protected answers have cost, */
  spent?: number;
  /** and how many answers were sent as they were given, which no ε bounds. */
  direct?: number;
  /** The choices that were drawn so far, of whatever revision, the latest first. */
  drawn?: string[];
  /** The report, until it has arrived. */
  unsent?: NoisyReport;
  /** What is sent beside it, if anything. */
  words?: Words;
  /** Of a survey by invitation: the token for the next report, or what it is made of. */
  admission?: Admission;
  /** Of a meeting: the report that arrived, and in which round, to be sent again in another. */
  sent?: NoisyReport;
  round?: string;
  /** What became of it where it was not taken. */
  outcome?: Exclude<Outcome, "pin" | "code" | "token"> | "late";
  /** Of a survey in waves: noisy answers to each truth, by the mark of their question and channel, */
  maps?: Record<string, number[]>;
  /** where they are found by other marks of it, and by its id, */
  names?: Record<string, string>;
  /** and what was promised when it was last answered. */
  waves?: RememberedWaves;
  /** What hides where spinners point, until a report is made. */
  hiding?: number[];
  /** Of the person: how many millionths of ε they allow in all. */
  limit?: number;
}

interface Memory {
  works: boolean;
  /** All of it. */
  kept: () => DeviceEntry;
  /** What waits to be sent, of whatever revision. */
  report: () => NoisyReport | undefined;
  /** Of what is asked, the items that were not reported yet, in this wave: no other is reported. */
  due: (asked: boolean[]) => boolean[];
  /** What it costs to report them, in millionths of ε. */
  price: (due: boolean[]) => number;
  /** Comes before sending, so that what fails half-way is sent again as it was. */
  keep: (report: NoisyReport, due: boolean[], price: number, more?: DeviceEntry) => void;
  drawn: () => string[];
  keepDrawn: (drawn: string[]) => void;
  /** Of what is asked in waves, or by a spinner, the report of each truth. */
  ready: (chance: Pick<Chance, "words" | "orders">) => number[][];
  /** Keeps more, beside what is kept already. */
  write: (more: DeviceEntry) => void;
  /** Forgets what is to be forgotten once it is known what became of a report. */
  settle: (report: NoisyReport, outcome: Outcome) => void;
  /** Which wave is asked, from 1, and whether a report of an earlier one never arrived; */
  wave?: {
    number: number;
    late: boolean;
    /** whether nothing is kept of an earlier one. */
    isNew?: boolean;
  };
}

/** Of a survey that is asked in waves: lines to begin with, and what is kept. */
interface WaveNotes {
  lines: string[];
  back?: string;
  here: Memory["wave"];
}

/** What became of a report. */
type Outcome = "stored" | "closed" | "refused" | "pin" | "code" | "token" | "unreachable";

/** What was handed out with the link, by the header that it is sent in. */
interface Words {
  "Survey-Pin"?: string;
  "Survey-Token"?: string;
}

/** What hides an id while it is signed, in hex digits. */
interface Hidden {
  prefix: string;
  /** What is signed. */
  blinded: string;
  /** What takes the hiding away. */
  inverse: string;
}

/** A token for the report of that id, by the key of that mark; or what is to be signed for one. */
interface Admission {
  key: string;
  id: string;
  hidden?: Hidden;
  token?: string;
}

/** What became of a code. */
type Admitted = "admitted" | "again" | "unknown" | "used" | "changed" | "closed" | "unreachable";

/** Something that was handed out: how it is asked for, and how it is read. */
interface Secret {
  id: string;
  name: () => string;
  told: (survey: SurveyDocument) => string;
  missing: () => string;
  /** What was typed, as it is compared. */
  read: (input: HTMLInputElement) => string;
  /** What the link holds of it. */
  linked: () => string;
}

/** An answer, whoever gave it; of status 0 if none came. */
interface Whole {
  status: number;
  headers?: Headers;
  bytes: Uint8Array;
  /** Whether it was waited for in vain. */
  isLate?: boolean;
}

type Fetch = (address: string, request: RequestInit) => Promise<Response>;

/** What a person ticks or types to answer one question. */
interface Control {
  element: HTMLElement;
  /** A truth for each item; throws `Unanswered`. */
  read: () => number[];
  /** What was answered, where it is not said by the truths alone. */
  said?: () => string[];
  reset: () => void;
}

/** Where an answer is missing which could be sent. */
interface Gap {
  /** Where it is mended. */
  control: HTMLElement;
  /** What to do. */
  instruction: string;
  /** Whether that tells of what was answered. */
  tells?: boolean;
  /** The row of a grid. */
  row?: HTMLElement;
}

/** A gap in the answer to a question. */
interface Mistake extends Gap {
  entry: Entry;
}

/** Which number somebody means by what they typed, if it is one. */
interface Meant {
  /** The place of the nearest level, */
  level?: number;
  /** and whether it is another number than was typed. */
  rounded?: boolean;
  /** All that may be meant, where that has to be asked. */
  either: number[];
  /** Whether it is a number that is no answer. */
  outside?: boolean;
}

/** Draws the page anew; the function answers a question as it was answered in its old form. */
type Redraw = (copyAnswers: (from: HTMLElement[], to: HTMLElement[]) => void) => void;

/** A question on the page; without a control where the device has answered it before. */
interface Entry {
  question: Question;
  /** Where its items stand in the report, those that are asked. */
  places: number[];
  control?: Control;
  field: HTMLFieldSetElement;
}

/** What was answered when the page was read; no longer true once somebody answers more. */
interface Reading {
  /** One for each item. */
  truths: number[];
  /** The same without what is made up: undefined where an item is not asked, -1 without answer. */
  given: (number | undefined)[];
  mistakes: Mistake[];
  /** What does not apply after these answers. */
  skipped: Set<Entry>;
}

/** What is on the page: one of its pages, or after the last of them the review. */
interface View {
  place: number;
  /** What is to be changed, before the review is shown again. */
  entry?: Entry;
  /** Whether it is what has to be agreed to, and the questions about the protection. */
  clear?: boolean;
}

/** What is on the screen at one place of the way. */
interface Scene {
  shows: "questions" | "clear" | "review";
  /** The questions. */
  entries: Entry[];
  /** What the button says. */
  button: "start" | "continue" | "send";
  /** Whether something leads back; on the first page nothing does. */
  back: boolean;
  progress?: { number: number; of: number };
}

/** What a page is about from its beginning to its end. */
interface Session extends Omit<Device, "tab">, Pick<SurveyState, "closes"> {
  /** What was handed out with the link, and is asked for. */
  wanted: string[];
  survey: SurveyDocument;
  address: string;
  memory: Memory;
  /** Who answers, from 1. */
  person: number;
  /** Of a survey by invitation. */
  admission?: Admission;
  /** What is special about a survey of a meeting. */
  meeting: MeetingHere | undefined;
  /** Opens the page for the next person. */
  somebodyElse: () => void;
}

/** The questions in one language. */
interface Paper {
  told: SurveyDocument;
  entries: Entry[];
  /** What comes first and is of no item: what has to be agreed to, and an access word. */
  consent: Entry[];
  /** What of it stands after the start, on a page of its own. */
  later: Entry[];
  /** Whether something stands between the start and the questions. */
  between: boolean;
  pages: Entry[][];
  /** The questions about the protection. */
  clear?: ReturnType<typeof import("./browser/page/comprehension.js").comprehension>;
}

/** Of a survey that is asked in waves: the last one that was answered, and what was promised. */
interface RememberedWaves {
  wave: number;
  epsilon: number;
  count: number;
  once?: number;
  changing?: number | null;
  /** ε of all reports if this browser forgets what it keeps. */
  forgotten: number;
}

/** A survey that was answered on this device, and what the reports of one person have revealed. */
interface Remembered extends DeviceEntry {
  survey: string;
  title: string;
}

/** What is special about a survey that a class answers together. */
interface MeetingHere {
  /** Who of this device answers in the meeting, once it is known. */
  person: number | undefined;
  /** A memory that keeps the report, to send it again where it was removed. */
  keeping: (memory: Memory) => Memory;
  /** Puts the question first, and what is explained below it. */
  arrange: (frame: { shell: HTMLElement; button: HTMLElement }) => void;
  /** What is said to who does not want to answer. */
  unwilling: () => string;
  /** Whether the person agrees to the price of a new report to the same question. */
  agrees: (price: number, person: number) => boolean | Promise<boolean>;
  /** Learns from the words of a report what chance decided. */
  toss: (words: Uint32Array) => void;
  /** What is said of what this device keeps. */
  kept: () => string;
  /** What is said once a report has arrived. */
  arrived: () => string[];
  /** What is shown after it. */
  after: (session: Session, report: NoisyReport) => HTMLElement[];
  /** Shows who has answered what was sent. */
  look: () => void;
}

/** What a random word decided. */
interface Fallen {
  /** Whether any answer would have been sent as the same report. */
  alone: boolean;
  /** How two coins fell, 0 for heads; none where other chance decides. */
  coins: number[];
}

/** The reports of a class, each a dot. */
interface WallDots {
  reports: number[];
  chosen: number | null;
  legends: string[];
}

/** What the big screen shows; its bars are those of `classroom/static/types.d.ts`. */
interface WallScene extends Pick<StageScene, "title" | "formula" | "said"> {
  language: string;
  picture: StageRows | StageCoins | StageCrowd | null;
  dots: WallDots | null;
}

/** Where a class is: the same for everybody. */
interface MeetingStep {
  /** How many changes of the meeting it tells of: a step with fewer is older. */
  changes: number;
  step: string;
  /** What is asked; empty if nothing is. */
  asks: string;
  /** What newcomers are asked before that; empty if nothing is. */
  first: string;
  /** How often its reports were removed. */
  round: number;
  scene: WallScene | null;
}
