/** What the page says: its state in a line, how far a run is, and what went wrong. */

import { LacunaError } from "lacuna-lm";
import { byId, element } from "./dom.ts";
import { findingsList, sentence } from "./findings-view.ts";
import type { GrammarEditor } from "./grammar-editor.ts";

/** Milliseconds between two words on how far a run is: a screen reader reads each to its end. */
const PAUSE = 1_500;

export class Speech {
  readonly #status = byId("status", HTMLParagraphElement);
  readonly #progress = byId("progress-words", HTMLParagraphElement);
  readonly #alert = byId("alert", HTMLDivElement);
  readonly #editor: GrammarEditor;
  readonly #next: HTMLElement;
  readonly #onAlert: () => void;
  #last = Number.NEGATIVE_INFINITY;

  /**
   * `onAlert` is called when an alert has come; the focus goes to `next` where what has it
   * is taken away.
   */
  constructor(editor: GrammarEditor, next: HTMLElement, onAlert: () => void) {
    this.#editor = editor;
    this.#next = next;
    this.#onAlert = onAlert;
  }

  /** Says what state things are in. */
  say(words: string): void {
    this.#status.textContent = words;
  }

  /** Says, for those who listen, how far a run is; now and then. */
  progress(words: string): void {
    const now = performance.now();
    if (now - this.#last < PAUSE) return;
    this.#last = now;
    this.#progress.textContent = words;
  }

  /** The run is over: what was said of it on the way is not read any more. */
  arrived(): void {
    this.#last = Number.NEGATIVE_INFINITY;
    this.#progress.textContent = "";
  }

  /** Says what must be mended first, and goes there. */
  warn(message: string, where: HTMLElement): void {
    this.#show(element("p", {}, message));
    where.focus();
  }

  /** Says what went wrong; with `again`, a button that does something about it. */
  complain(title: string, error: unknown, again?: { words: string; act: () => void }): void {
    const message = error instanceof Error ? error.message : String(error);
    const parts: Node[] = [element("strong", {}, title), element("p", {}, sentence(message))];
    if (error instanceof LacunaError && error.diagnostics.length > 0) {
      this.#editor.show(error.diagnostics);
      parts[1] = findingsList(error.diagnostics, this.#editor.text, (place) =>
        this.#editor.goTo(place),
      );
    }
    if (again) {
      const button = element("button", { type: "button" }, again.words);
      button.addEventListener("click", again.act);
      parts.push(button);
    }
    this.#show(...parts);
  }

  /** Takes an alert back. */
  calm(): void {
    this.#letGo();
    this.#alert.hidden = true;
    this.#alert.replaceChildren();
  }

  /** Takes the focus out of the alert. */
  #letGo(): void {
    if (this.#alert.contains(document.activeElement)) this.#next.focus();
  }

  #show(...parts: Node[]): void {
    this.#letGo();
    this.#alert.replaceChildren(...parts);
    this.#alert.hidden = false;
    this.#onAlert();
  }
}
