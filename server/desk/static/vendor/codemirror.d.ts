// What codemirror.js exports; scripts/bundles/codemirror.js says more of it.

export interface Place {
  line: number;
  column: number;
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
  onChange: () => void;
}): Editor;
