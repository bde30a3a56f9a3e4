/** The grammar: its text in one of four notations, what is wrong with it, its rules' places. */

import { json, jsonLanguage } from "@codemirror/lang-json";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Diagnostic, GrammarKind } from "lacuna-lm/grammar";
import { Editor, type Place } from "../editor/editor.ts";
import { pointAt, pointable } from "../editor/highlight.ts";
import { gbnf } from "../editor/languages/gbnf.ts";
import { lark } from "../editor/languages/lark.ts";
import { regex } from "../editor/languages/regex.ts";
import { completeRules, definitions, type RuleNotation } from "../editor/rules.ts";
import { completeSchema } from "../editor/schema-words.ts";
import { element } from "../src/page/dom.ts";
import { findingsList, placeOf } from "../src/page/findings-view.ts";
import { KIND_NAMES, KINDS } from "./state.ts";

interface Parts {
  readonly kinds: HTMLElement;
  readonly editor: HTMLElement;
  readonly findings: HTMLElement;
}

interface Actions {
  changed(): void;
  /** Another notation was chosen. */
  kind(kind: GrammarKind): void;
  /** The cursor moved. */
  moved(offset: number): void;
}

function language(kind: GrammarKind): Extension {
  const ruled = (notation: RuleNotation, own: ReturnType<typeof gbnf>) => [
    own,
    own.data.of({ autocomplete: completeRules(notation) }),
  ];
  switch (kind) {
    case "gbnf":
      return ruled("gbnf", gbnf());
    case "lark":
      return ruled("lark", lark());
    case "regex":
      return [regex(), EditorView.lineWrapping];
    case "jsonSchema":
      return [json(), jsonLanguage.data.of({ autocomplete: completeSchema })];
  }
}

export class GrammarPane {
  readonly #editor: Editor;
  readonly #findings: HTMLElement;
  readonly #radios: ReadonlyMap<GrammarKind, HTMLInputElement>;
  #kind: GrammarKind = "gbnf";

  constructor({ kinds, editor, findings }: Parts, actions: Actions) {
    this.#findings = findings;
    this.#radios = new Map(
      KINDS.map((kind) => {
        const radio = element("input", { type: "radio", name: "kind", value: kind });
        radio.addEventListener("change", () => actions.kind(kind));
        kinds.append(element("label", {}, radio, element("span", {}, KIND_NAMES[kind])));
        return [kind, radio];
      }),
    );
    this.#editor = new Editor({
      parent: editor,
      label: "Grammar",
      describedBy: findings.id,
      numbered: true,
      changed: () => actions.changed(),
      extensions: [
        pointable,
        EditorView.updateListener.of(({ selectionSet, docChanged, state }) => {
          if (selectionSet && !docChanged) actions.moved(state.selection.main.head);
        }),
      ],
    });
  }

  get kind(): GrammarKind {
    return this.#kind;
  }

  get text(): string {
    return this.#editor.text;
  }

  /** Reads the text in another notation. */
  speak(kind: GrammarKind): void {
    this.#kind = kind;
    const radio = this.#radios.get(kind);
    if (radio) radio.checked = true;
    this.#editor.speak(`Grammar in ${KIND_NAMES[kind]}`, language(kind));
  }

  open(kind: GrammarKind, text: string): void {
    this.speak(kind);
    this.#editor.open(text);
    // What a grammar is about often fills the first lines of it.
    if (kind !== "gbnf" && kind !== "lark") return;
    const first = definitions(kind, text)[0];
    if (first) this.#editor.show(first);
  }

  goTo(place: Place): void {
    this.#editor.goTo(place);
  }

  /** Tints places, and brings the first into view without taking the focus. */
  point(places: readonly Place[], scroll = false): void {
    const { view } = this.#editor;
    pointAt(view, places);
    const first = places[0];
    if (scroll && first && first.start <= view.state.doc.length) {
      view.dispatch({ effects: EditorView.scrollIntoView(first.start, { y: "center" }) });
    }
  }

  show(findings: readonly Diagnostic[]): void {
    const { text } = this;
    const marks = findings.flatMap((finding) => {
      const place = placeOf(finding, text);
      if (!place) return [];
      const { message, note, severity } = finding;
      const from = Math.min(place.start, text.length);
      // Of what goes over many lines, the first will do.
      const line = text.indexOf("\n", from);
      const to = Math.min(place.end, line < 0 ? text.length : line);
      return [{ from, to, severity, message: note ? `${message}: ${note}` : message }];
    });
    this.#editor.mark(marks);
    const list = findingsList(findings, text, (place) => this.goTo(place));
    this.#findings.replaceChildren(...(findings.length > 0 ? [list] : []));
  }
}
