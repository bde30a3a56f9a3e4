/** A completion of the text, and others by other seeds. */

import type { Fault } from "lacuna-lm/grammar";
import { byId, element, replaceInPlace, seen } from "../src/page/dom.ts";
import { sentence } from "../src/page/findings-view.ts";
import type { Bench } from "./bench.ts";
import { CompletionList } from "./completion-list.ts";
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
  readonly #found = new CompletionList();

  constructor(bench: Bench, linked: LinkedViews, keep: (text: string) => void) {
    this.#bench = bench;
    this.#linked = linked;
    this.#another.addEventListener("click", () => void this.#findAnother());
    byId("keep", HTMLButtonElement).addEventListener("click", () => {
      const { chosen } = this.#found;
      if (chosen) keep(writtenText(chosen.text));
    });
  }

  /** Shows the first completion of what `about` says, or that there is none. */
  show(completed: Completed | null, about = ""): void {
    if (!this.#found.begin(completed, about)) return;
    this.#note.textContent = "";
    byId("witness-pane", HTMLElement).hidden = completed === null;
    if (completed) this.#linked.completed(completed);
    else this.#linked.noTree("");
    this.#another.disabled = completed === null || completed.fillings.length === 0;
    this.#render();
  }

  async #findAnother(): Promise<void> {
    if (this.#found.isBusy) return;
    const asked = this.#found.findAnother((wanted) =>
      this.#bench.ask({ ask: "another", ...wanted }),
    );
    // It keeps the focus meanwhile.
    this.#another.ariaDisabled = "true";
    try {
      const found = await asked;
      if (found === null) this.#note.textContent = "No other one was found.";
      if (!found) return;
      this.#note.textContent = "";
      this.#choose(found);
    } catch (thrown) {
      this.#note.textContent = sentence((thrown as Fault).message);
    } finally {
      this.#another.ariaDisabled = null;
    }
  }

  #choose(completed: Completed): void {
    this.#found.choose(completed);
    this.#linked.completed(completed);
    this.#render();
    void this.#derive(completed);
  }

  async #derive({ text }: Completed): Promise<void> {
    const isChosen = () => this.#found.chosen?.text === text;
    try {
      const nodes = await this.#bench.ask({ ask: "derive", text });
      if (isChosen()) this.#linked.tree(text, nodes);
    } catch (thrown) {
      if (isChosen()) this.#linked.noTree(sentence((thrown as Fault).message));
    }
  }

  #render(): void {
    const { all, chosen } = this.#found;
    const items = all.map((completed, at) => {
      const text = completed.text.replaceAll("\n", "↵");
      const shown = text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
      const attributes = { type: "button", "aria-pressed": String(completed === chosen) };
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
