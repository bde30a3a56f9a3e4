/** The grammar in other dialects, where those can hold it. */

import type { Fault, GrammarKind } from "lacuna-lm/grammar";
import type { Place } from "../editor/editor.ts";
import { element } from "../src/page/dom.ts";
import { findingsList, sentence } from "../src/page/findings-view.ts";
import { counted } from "../src/page/words.ts";
import type { ExportDialect } from "./protocol.ts";
import { KIND_NAMES, type State } from "./state.ts";

interface Actions {
  exported(dialect: ExportDialect): Promise<string>;
  /** Goes on with what was exported. */
  open(kind: GrammarKind, text: string): void;
  goTo(place: Place): void;
  copy(text: string): Promise<boolean>;
}

const ALL: readonly GrammarKind[] = ["gbnf", "lark", "regex", "jsonSchema"];

export class ExportPane {
  readonly #root: HTMLElement;
  readonly #buttons: HTMLElement;
  readonly #actions: Actions;
  #turn = 0;

  constructor(buttons: HTMLElement, root: HTMLElement, actions: Actions) {
    this.#buttons = buttons;
    this.#root = root;
    this.#actions = actions;
    this.close();
  }

  /** There is no grammar that could be exported. */
  close(): void {
    this.#turn++;
    this.#root.replaceChildren();
    const buttons = ALL.map((dialect) => {
      return element("button", { type: "button", disabled: true }, KIND_NAMES[dialect]);
    });
    this.#buttons.replaceChildren(...buttons);
  }

  /** Takes away what was exported before the grammar changed. */
  stale(state: State): void {
    this.#turn++;
    this.#root.replaceChildren();
    const buttons = ALL.map((dialect) => {
      const button = element("button", { type: "button" }, KIND_NAMES[dialect]);
      button.addEventListener("click", () => void this.#export(dialect, state));
      return button;
    });
    this.#buttons.replaceChildren(...buttons);
  }

  async #export(dialect: GrammarKind, state: State): Promise<void> {
    const turn = ++this.#turn;
    const name = KIND_NAMES[dialect];
    if (dialect === state.kind) return this.#show(dialect, state.grammar, "as it is written");
    if (dialect === "jsonSchema") {
      const message = "A JSON Schema describes JSON values, not texts: only a schema is one.";
      return this.#refuse(`${name} cannot hold this grammar.`, element("p", {}, message));
    }
    try {
      const text = await this.#actions.exported(dialect);
      if (turn === this.#turn) this.#show(dialect, text, counted(text.length, "character"));
    } catch (thrown) {
      if (turn !== this.#turn) return;
      const { kind, diagnostics = [], message } = thrown as Fault;
      const list = findingsList(diagnostics, state.grammar, this.#actions.goTo);
      // What is wrong otherwise says nothing of the dialect.
      const can = kind === "export" ? `${name} cannot hold this grammar.` : "It was not written.";
      this.#refuse(can, diagnostics.length > 0 ? list : element("p", {}, sentence(message)));
    }
  }

  #show(dialect: GrammarKind, text: string, note: string): void {
    const copy = element("button", { type: "button", class: "quiet" }, "Copy");
    copy.addEventListener("click", async () => {
      copy.textContent = (await this.#actions.copy(text)) ? "Copied" : "Copy failed";
    });
    const open = element("button", { type: "button", class: "quiet" }, "Open here");
    open.addEventListener("click", () => this.#actions.open(dialect, text));
    this.#root.replaceChildren(
      element("p", { class: "export-head" }, `${KIND_NAMES[dialect]}, ${note}`, copy, open),
      element(
        "pre",
        { class: "exported", tabindex: "0", "aria-label": "The grammar exported" },
        text,
      ),
    );
  }

  #refuse(words: string, why: Node): void {
    this.#root.replaceChildren(element("p", { class: "export-head" }, words), why);
  }
}
