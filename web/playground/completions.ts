/** A completion of the text, and others by other seeds. */

import type { Fault } from "lacuna-lm/grammar";
import { byId, element, replaceInPlace, seen } from "../src/page/dom.ts";
import { sentence } from "../src/page/findings-view.ts";
import type { Bench } from "./bench.ts";
import { writtenText } from "./gaps.ts";
import type { LinkedViews } from "./linked-views.ts";
import type { Completed } from "./protocol.ts";

/** Characters of a completion in the list. */
const EXCERPT = 120;

export class Completions {
  readonly #bench: Bench;
  readonly #linked: LinkedViews;
  readonly #list = byId("witnesses", HTMLElement);
  readonly #note = byId("another-note", HTMLElement);
  readonly #another = byId("another", HTMLButtonElement);
  #found: Completed[] = [];
  #shown: Completed | undefined;
  #turn = 0;
  #seed = 0;

  constructor(bench: Bench, linked: LinkedViews, keep: (text: string) => void) {
    this.#bench = bench;
    this.#linked = linked;
    this.#another.addEventListener("click", () => void this.#findAnother());
    byId("keep", HTMLButtonElement).addEventListener("click", () => {
      if (this.#shown) keep(writtenText(this.#shown.text));
    });
  }

  /** Shows the first completion, or that there is none. */
  show(completed: Completed | null): void {
    this.#turn++;
    this.#seed = 0;
    this.#found = completed ? [completed] : [];
    this.#note.textContent = "";
    byId("witness-pane", HTMLElement).hidden = completed === null;
    this.#shown = completed ?? undefined;
    if (completed) this.#linked.completed(completed);
    else this.#linked.noTree("");
    this.#another.disabled = completed === null || completed.fillings.length === 0;
    this.#render();
  }

  async #findAnother(): Promise<void> {
    const turn = this.#turn;
    const known = this.#found.map(({ text }) => text);
    try {
      const found = await this.#bench.ask({ ask: "another", seed: ++this.#seed, known });
      if (turn !== this.#turn) return;
      this.#note.textContent = found ? "" : "No other one was found.";
      if (!found) return;
      this.#found.push(found);
      this.#choose(found);
    } catch (thrown) {
      if (turn === this.#turn) this.#note.textContent = sentence((thrown as Fault).message);
    }
  }

  #choose(completed: Completed): void {
    this.#shown = completed;
    this.#linked.completed(completed);
    this.#render();
    void this.#derive(completed);
  }

  async #derive({ text }: Completed): Promise<void> {
    try {
      const nodes = await this.#bench.ask({ ask: "derive", text });
      if (this.#shown?.text === text) this.#linked.tree(text, nodes);
    } catch (thrown) {
      if (this.#shown?.text === text) this.#linked.noTree(sentence((thrown as Fault).message));
    }
  }

  #render(): void {
    const items = this.#found.map((completed, at) => {
      const text = completed.text.replaceAll("\n", "↵");
      const shown = text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
      const attributes = { type: "button", "aria-pressed": String(completed === this.#shown) };
      const button = element(
        "button",
        attributes,
        ...(shown === "" ? ["the empty text"] : seen(shown)),
      );
      button.addEventListener("click", () => this.#choose(completed));
      return element("li", { value: `${at + 1}` }, button);
    });
    replaceInPlace(this.#list, ...(items.length > 1 ? items : []));
  }
}
