/** CodeMirror as all pages have it: the keys, the look, the marks of what is wrong. */

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic as Mark, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorSelection, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { isolating, wordIsolates } from "./isolates.ts";

/** How an editor is made. */
export interface EditorOptions {
  readonly parent: HTMLElement;
  /** What assistive technology calls it. */
  readonly label: string;
  /** The element that says what is wrong with the text. */
  readonly describedBy?: string;
  /** Whether lines have numbers. */
  readonly numbered?: boolean;
  /** Called after each change of the text, whoever made it. */
  readonly changed: (text: string) => void;
  readonly extensions?: Extension;
}

/** A place in the text, in UTF-16 units. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Pixels that stay in sight above a place that is shown. */
const ABOVE = 24;

export class Editor {
  readonly view: EditorView;
  readonly #language = new Compartment();
  readonly #history = new Compartment();
  readonly #attributes = new Compartment();
  readonly #options: EditorOptions;
  #label: string;
  #isWrong = false;

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#label = options.label;
    this.view = new EditorView({
      parent: options.parent,
      state: EditorState.create({
        extensions: [
          options.numbered ? [lineNumbers(), highlightActiveLine()] : EditorView.lineWrapping,
          this.#history.of(history()),
          drawSelection(),
          highlightSpecialChars(),
          isolating(wordIsolates),
          bracketMatching(),
          indentOnInput(),
          autocompletion({ icons: false }),
          syntaxHighlighting(classHighlighter),
          // Tab goes on to the next control: pages are used with the keyboard too.
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          this.#language.of([]),
          this.#attributes.of(this.#described()),
          EditorView.updateListener.of(({ docChanged }) => {
            if (docChanged) options.changed(this.text);
          }),
          options.extensions ?? [],
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Puts another text in, shown from its beginning; what was done before cannot be undone. */
  open(text: string): void {
    const whole = { from: 0, to: this.view.state.doc.length, insert: text };
    const selection = EditorSelection.cursor(0);
    const effects = this.#history.reconfigure([]);
    this.view.dispatch({ ...(text === this.text ? {} : { changes: whole, selection }), effects });
    this.view.dispatch({ effects: this.#history.reconfigure(history()) });
    this.view.scrollDOM.scrollTo(0, 0);
  }

  /** Reads the text as another language from now on. */
  speak(label: string, language: Extension): void {
    this.#label = label;
    const effects = [this.#language.reconfigure(language)];
    this.view.dispatch({ effects });
    this.#describe();
  }

  /** Selects a place and brings it into view. */
  goTo({ start, end }: Place): void {
    const most = this.view.state.doc.length;
    const selection = EditorSelection.range(Math.min(start, most), Math.min(end, most));
    const effects = EditorView.scrollIntoView(selection, { y: "center" });
    this.view.dispatch({ selection, effects });
    this.view.focus();
  }

  /** Brings a place to the top of the editor, without the focus; the page stays. */
  show({ start }: Place): void {
    this.view.requestMeasure({
      read: (view) => view.lineBlockAt(Math.min(start, view.state.doc.length)),
      write: ({ top }, { scrollDOM }) => scrollDOM.scrollTo(0, top - ABOVE),
    });
  }

  /** Puts text in place of what is selected. */
  insert(text: string): void {
    this.view.dispatch(this.view.state.replaceSelection(text), { scrollIntoView: true });
    this.view.focus();
  }

  /** Marks what is wrong. */
  mark(marks: readonly Mark[]): void {
    this.view.dispatch(setDiagnostics(this.view.state, marks));
    this.#isWrong = marks.some(({ severity }) => severity === "error");
    this.#describe();
  }

  #describe(): void {
    this.view.dispatch({ effects: this.#attributes.reconfigure(this.#described()) });
  }

  #described(): Extension {
    const { describedBy } = this.#options;
    return EditorView.contentAttributes.of({
      "aria-label": this.#label,
      ...(describedBy ? { "aria-describedby": describedBy } : {}),
      "aria-invalid": String(this.#isWrong),
      tabindex: "0",
      spellcheck: "false",
      autocapitalize: "off",
      autocorrect: "off",
    });
  }
}
