// The part of CodeMirror that the desk's editor needs, behind one function: build.js makes
// server/desk/static/vendor/codemirror.js of it. What the editor checks is the desk's own, in
// server/desk/static/.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  HighlightStyle,
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The colours are custom properties of the page, which reach into the shadow root, in the light and
// in the dark.
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.content], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.keyword], color: "var(--good)" },
  { tag: [tags.comment, tags.meta], color: "var(--muted)", fontStyle: "italic" },
  {
    tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace],
    color: "var(--muted)",
  },
]);

const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--card)", fontSize: "0.9rem" },
  "&.cm-focused": { outline: "3px solid var(--focus)", outlineOffset: "2px" },
  ".cm-scroller": {
    fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace",
    lineHeight: "1.5",
    minHeight: "16rem",
    maxHeight: "80vh",
  },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    color: "var(--muted)",
    backgroundColor: "var(--page)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": {
    backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)",
  },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--card)",
    border: "1px solid var(--muted)",
    maxWidth: "min(32rem, 90vw)",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--stopped)" },
  // CodeMirror draws these as data: images, of which the page's policy allows none.
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--stopped)",
    textUnderlineOffset: "0.2em",
  },
  ".cm-lint-marker-error": {
    content: "normal",
    boxSizing: "border-box",
    border: "0.35em solid var(--stopped)",
    borderRadius: "50%",
    width: "0.7em",
    height: "0.7em",
  },
});

/**
 * Mount an editor of a survey file.
 * @param {object} options
 * @param {HTMLElement} options.host An empty element, which gets a shadow root: in one, the styles
 *   are style sheets of the document object model, and no inline ones, which the page forbids.
 * @param {string} options.text
 * @param {string} options.label What assistive technology calls it.
 * @param {() => void} options.onChange
 */
export function mount({ host, text, label, onChange }) {
  const root = host.attachShadow({ mode: "open" });
  const parent = root.appendChild(document.createElement("div"));
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentUnit.of("  "),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        yaml(),
        syntaxHighlighting(colours),
        look,
        lintGutter(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          tabindex: "0",
          "aria-label": label,
          autocapitalize: "off",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange();
        }),
        // Not the Tab key: it leads out of the editor, as out of every other field.
        keymap.of([...lintKeymap, ...historyKeymap, ...defaultKeymap]),
      ],
    }),
  });
  const place = ({ line, column }) => {
    const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
    // Columns count characters, as people do; JavaScript counts some of them twice.
    return at.from + [...at.text].slice(0, column - 1).join("").length;
  };
  return {
    text: () => view.state.doc.toString(),
    /** Make the text another one, in one step that can be undone: only what differs changes. */
    replace(wanted) {
      const old = view.state.doc.toString();
      let [from, to, end] = [0, old.length, wanted.length];
      while (from < to && from < end && old[from] === wanted[from]) from += 1;
      while (to > from && end > from && old[to - 1] === wanted[end - 1])
        [to, end] = [to - 1, end - 1];
      if (from < to || from < end) {
        view.dispatch({ changes: { from, to, insert: wanted.slice(from, end) } });
      }
    },
    /** Show what is wrong, each at its place up to the end of the line. */
    mark(mistakes) {
      const diagnostics = mistakes.map(({ line, column, message }) => {
        const from = place({ line, column });
        return { from, to: view.state.doc.lineAt(from).to, severity: "error", message };
      });
      diagnostics.sort((one, other) => one.from - other.from);
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    /** Put the caret somewhere, and the focus into the editor. */
    goTo(at) {
      const anchor = place(at);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor) });
      view.focus();
    },
  };
}
