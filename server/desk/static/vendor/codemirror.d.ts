// What codemirror.js exports; scripts/bundles/codemirror.js says more of it.

export interface Place {
  line: number;
  column: number;
}

export interface Completion {
  from: number;
  options: { label: string; detail?: string; apply?: string }[];
}

export interface Editor {
  text(): string;
  replace(text: string): void;
  mark(mistakes: (Place & { message: string })[]): void;
  goTo(place: Place): void;
}

export function mount(options: {
  host: HTMLElement;
  text: string;
  label: string;
  complete: (text: string, position: number) => Completion | null;
  onChange: () => void;
}): Editor;
