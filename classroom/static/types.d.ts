/** What the scenes of a meeting are; `classroom/pictures.py` and `scene.py` say what each part is. */

interface StageRow {
  id: string;
  name: string;
  text: string;
  value: number;
  low: number | null;
  high: number | null;
  tone: "noisy" | "found" | "made-up" | "direct";
  before: number | null;
  noise: number | null;
  guesses: number[];
  reports: boolean[];
  copies: boolean;
  ends: string;
  crossed: boolean;
}

interface StageRows {
  kind: "rows";
  low: number;
  high: number;
  rows: StageRow[];
  mark: number | null;
  mark_text: string;
  outline: string;
  people: number;
  reports: number;
}

interface StageWay {
  coins: string[];
  sends: string;
}

interface StageCoins {
  kind: "coins";
  ways: StageWay[];
  bars: StageRows;
}

interface StageCrowd {
  kind: "crowd";
  came: number;
  joined: number;
}

interface StageTold {
  legend: string;
  said: string;
  bars: StageRows;
}

interface StageDots {
  kind: "dots";
  reports: number[];
  told: StageTold[];
  chosen: number | null;
  label: string;
  nobody: string;
}

interface StageScene {
  step: string;
  layout: string;
  title: string;
  question: string;
  answers: string[];
  n: number;
  said: string[];
  formula: string;
  picture: StageRows | StageCoins | StageDots | StageCrowd | null;
}

/** What a meeting shows at a moment; `server/desk/live/state.py` makes it. */
interface StageMoment {
  scene: StageScene;
  at: string;
  count: number;
  counted: string;
  /** Whether nobody of those who joined is waited for any more. */
  full: boolean;
  where: string;
  language: string;
  spoken: string;
}
