/** What the lab's route answers; `lab/page.py` and `lab/pictures.py` say what each part is. */

interface LabSeries {
  name: string;
  mark: "line" | "dots" | "bars" | "steps" | "upright";
  x: (number | string)[];
  y: number[];
  tone: number;
}

interface LabPicture {
  id: string;
  caption: string;
  x: string;
  y: string;
  series: LabSeries[];
  table: { columns: string[]; rows: string[][] };
  x_range: [number, number] | null;
  y_range: [number, number] | null;
  logarithmic: boolean;
  drag: LabDrag | null;
}

type LabDrag = [slider: string, scale: number, power: 1 | -1];

/** A picture as it was drawn. */
type LabPlot = SVGSVGElement & {
  scale(
    name: "x" | "y",
  ): { apply(value: number): number; invert?(at: number): number; range?: number[] } | undefined;
};

/** What a slider can be dragged by. */
interface LabGrip {
  svg: LabPlot;
  slider: HTMLInputElement | HTMLSelectElement;
  read(at: number): number;
}

interface LabRecords {
  id: string;
  caption: string;
  table: { columns: string[]; rows: string[][] };
  marked: number[];
}

interface LabCrowd {
  weights: number[][];
  people: number[];
  contributions: number[];
  truth: number;
  names: string[];
}

interface LabAnswer {
  said: string[];
  values: { name: string; label: string; text: string }[];
  pictures: LabPicture[];
  crowd: LabCrowd | null;
  records: LabRecords[];
  code: string;
}

/** The answers that a page has beside it: each part once, and by the settings which parts. */
interface LabFile {
  parts: unknown[];
  answers: Record<string, number[]>;
}
