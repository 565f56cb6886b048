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
}

interface StageRows {
  kind: "rows";
  low: number;
  high: number;
  rows: StageRow[];
  mark: number | null;
  mark_text: string;
}

interface StageTold {
  name: string;
  said: string;
  bars: StageRows;
}

interface StageDots {
  kind: "dots";
  reports: number[];
  told: StageTold[];
  chosen: number | null;
}

interface StageScene {
  step: string;
  title: string;
  question: string;
  answers: string[];
  n: number;
  said: string[];
  formula: string;
  picture: StageRows | StageDots | null;
  table: { columns: string[]; rows: string[][] } | null;
}

/** What a meeting shows at a moment; `server/desk/live/state.py` makes it. */
interface StageMoment {
  scene: StageScene;
  place: number;
  of: number;
  asks: string;
  run: number;
  round: number;
  joined: number;
  answered: number | null;
  language: string;
  spoken: string;
}
