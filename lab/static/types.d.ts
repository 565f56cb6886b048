/** A picture; `lab/pictures.py` says what each part is. */

interface LabSeries {
  name: string;
  mark: "line" | "dots" | "rings" | "bars" | "steps" | "upright" | "guess";
  x: (number | string)[];
  y: number[];
  tone: number;
  between?: number[]; // where the answer to a guess can be; no bar of it has a length yet
  hollow?: boolean; // an outline, where a guess can be moved to
  rimmed?: boolean; // dots with an edge, as they lie on others
}

interface LabPicture {
  id: string;
  caption: string;
  x: string;
  y: string;
  series: LabSeries[];
  x_range: [number, number] | null;
  y_range: [number, number] | null;
  x_shares?: boolean;
  logarithmic: boolean;
  finding?: string;
}

/** A guess, in the numbers of the picture that it is drawn in; `moved`: if anybody has moved it yet;
 * `made`: if the answer is shown. */
interface LabGuess {
  at: number | string | null;
  seen: string[];
  guessed: number;
  range: number[];
  moved: boolean;
  made: boolean;
}

/** The answers that a page has beside it: each part once, and by the settings which parts. */
interface LabFile {
  parts: string[];
  answers: Record<string, number[]>;
}
