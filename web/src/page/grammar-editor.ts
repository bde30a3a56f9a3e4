/** The grammar's text, and what is wrong with it as it is typed. */

import { json } from "@codemirror/lang-json";
import type { Diagnostic } from "lacuna-lm";
import { Editor } from "../../editor/editor.ts";
import { lark } from "../../editor/languages/lark.ts";
import { findingsList, placeOf } from "./findings-view.ts";
import type { Range } from "./json-places.ts";
import type { Kind } from "./presets.ts";

/** Milliseconds without a key before the text is looked at. */
const PAUSE = 250;

/** Compiles a text; resolves with what is wrong with it, nothing if it is right. */
export type Check = (kind: Kind, text: string) => Promise<readonly Diagnostic[]>;

const NAMES: Readonly<Record<Kind, string>> = { jsonSchema: "JSON Schema", lark: "Lark grammar" };
const LANGUAGES = { jsonSchema: json, lark } as const;

export class GrammarEditor {
  readonly #findings: HTMLElement;
  readonly #check: Check;
  readonly #editor: Editor;
  #kind: Kind = "jsonSchema";
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The newest text, and the newest that stood for a while. */
  #newest = 0;
  #settled = 0;
  #isLooking = false;

  /** `onChange` is called at each change of the text. */
  constructor(parent: HTMLElement, findings: HTMLElement, check: Check, onChange: () => void) {
    this.#findings = findings;
    this.#check = check;
    this.#editor = new Editor({
      parent,
      label: NAMES.jsonSchema,
      describedBy: findings.id,
      numbered: true,
      changed: () => {
        this.#changed(PAUSE);
        onChange();
      },
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
    return this.#editor.text;
  }

  /** Puts another text in. */
  open(kind: Kind, text: string): void {
    this.#kind = kind;
    this.#editor.speak(NAMES[kind], LANGUAGES[kind]());
    this.#editor.open(text);
    this.#changed(0);
  }

  /** Selects a place and brings it into view. */
  goTo(place: Range): void {
    this.#editor.goTo(place);
  }

  /** Looks at the text again. */
  recheck(): void {
    this.#changed(0);
  }

  /** Shows what is wrong with the text as it stands. */
  show(findings: readonly Diagnostic[]): void {
    const { text } = this;
    const within = (offset: number) => Math.min(offset, text.length);
    const marks = findings.flatMap((finding) => {
      const place = placeOf(finding, text);
      if (!place) return [];
      const { message, severity } = finding;
      return [{ from: within(place.start), to: within(place.end), message, severity }];
    });
    this.#editor.mark(marks);
    const list = findingsList(findings, text, (place) => this.goTo(place));
    this.#findings.replaceChildren(...(findings.length === 0 ? [] : [list]));
  }

  #changed(pause: number): void {
    clearTimeout(this.#timer);
    const turn = ++this.#newest;
    this.#timer = setTimeout(() => {
      this.#settled = turn;
      void this.#look();
    }, pause);
  }

  /** Looks at one text after another, and of those that come meanwhile at the last only. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (let seen = -1; seen !== this.#settled; ) {
        seen = this.#settled;
        const findings = await this.#check(this.#kind, this.text);
        if (seen === this.#newest) this.show(findings);
      }
    } finally {
      this.#isLooking = false;
    }
  }
}
