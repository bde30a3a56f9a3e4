/** The grammar's text in CodeMirror, and what is wrong with it as it is typed. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic as Mark, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorSelection, EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import type { Diagnostic } from "lacuna-lm";
import { findingsList, placeOf } from "./findings-view.ts";
import type { Range } from "./json-places.ts";
import type { Kind } from "./presets.ts";

/** Milliseconds without a key before the text is looked at. */
const PAUSE = 250;

/** Compiles a text; resolves with what is wrong with it, nothing if it is right. */
export type Check = (kind: Kind, text: string) => Promise<readonly Diagnostic[]>;

const NAMES: Readonly<Record<Kind, string>> = { jsonSchema: "JSON Schema", lark: "Lark grammar" };

export class GrammarEditor {
  readonly #findings: HTMLElement;
  readonly #check: Check;
  readonly #view: EditorView;
  readonly #language = new Compartment();
  readonly #attributes = new Compartment();
  #kind: Kind = "jsonSchema";
  #wrong = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #newest = 0;

  constructor(parent: HTMLElement, findings: HTMLElement, check: Check) {
    this.#findings = findings;
    this.#check = check;
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          indentOnInput(),
          highlightActiveLine(),
          syntaxHighlighting(classHighlighter),
          // Tab goes on to the next control: the page is used with the keyboard too.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          this.#language.of(json()),
          this.#attributes.of(this.#described()),
          EditorView.updateListener.of(({ docChanged }) => docChanged && this.#changed(PAUSE)),
        ],
      }),
    });
  }

  get kind(): Kind {
    return this.#kind;
  }

  /** What the kind of text is called. */
  get name(): string {
    return NAMES[this.#kind];
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Puts another text in. */
  open(kind: Kind, text: string): void {
    this.#kind = kind;
    const effects = [this.#language.reconfigure(kind === "jsonSchema" ? json() : [])];
    const whole = { from: 0, to: this.#view.state.doc.length, insert: text };
    this.#view.dispatch({ changes: whole, effects, selection: EditorSelection.cursor(0) });
    this.#describe(false);
    this.#view.scrollDOM.scrollTop = 0;
    this.#changed(0);
  }

  /** Selects a place and brings it into view. */
  goTo({ start, end }: Range): void {
    const most = this.#view.state.doc.length;
    const selection = EditorSelection.range(Math.min(start, most), Math.min(end, most));
    this.#view.dispatch({
      selection,
      effects: EditorView.scrollIntoView(selection, { y: "center" }),
    });
    this.#view.focus();
  }

  /** Looks at the text again. */
  recheck(): void {
    this.#changed(0);
  }

  /** Shows what is wrong with the text as it stands. */
  show(findings: readonly Diagnostic[]): void {
    const { text } = this;
    const marks = findings.flatMap((finding): Mark[] => {
      const place = placeOf(finding, text);
      if (!place) return [];
      const { message, severity } = finding;
      return [
        {
          from: Math.min(place.start, text.length),
          to: Math.min(place.end, text.length),
          message,
          severity,
        },
      ];
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, marks));
    this.#describe(findings.some(({ severity }) => severity === "error"));
    if (findings.length === 0) this.#findings.replaceChildren();
    else this.#findings.replaceChildren(findingsList(findings, text, (place) => this.goTo(place)));
  }

  #changed(pause: number): void {
    clearTimeout(this.#timer);
    const turn = ++this.#newest;
    this.#timer = setTimeout(async () => {
      const findings = await this.#check(this.#kind, this.text);
      if (turn === this.#newest) this.show(findings);
    }, pause);
  }

  #describe(wrong: boolean): void {
    this.#wrong = wrong;
    this.#view.dispatch({ effects: this.#attributes.reconfigure(this.#described()) });
  }

  #described() {
    return EditorView.contentAttributes.of({
      "aria-label": NAMES[this.#kind],
      "aria-describedby": this.#findings.id,
      "aria-invalid": String(this.#wrong),
      tabindex: "0",
      spellcheck: "false",
      autocapitalize: "off",
    });
  }
}
