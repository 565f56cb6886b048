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
}

interface LabRecords {
  id: string;
  caption: string;
  table: { columns: string[]; rows: string[][] };
  marked: number[];
}

interface LabAnswer {
  said: string[];
  values: { name: string; label: string; text: string }[];
  pictures: LabPicture[];
  records: LabRecords[];
  code: string;
}

/** The answers that a page has beside it: each part once, and by the settings which parts. */
interface LabFile {
  parts: unknown[];
  answers: Record<string, number[]>;
}
