/** A field for each slot of the grammar but the request's. */

import { element } from "../src/page/dom.ts";
import { type Filled, filledOf, isRequest, type Slot, type Source } from "./slots.ts";

const WORDS: Readonly<Record<Source, string>> = {
  list: "one of these lines",
  text: "words of this text",
};

export class SlotsPane {
  readonly #root: HTMLElement;
  readonly #changed: () => void;
  #slots: readonly Slot[] = [];
  #filled: readonly Filled[] = [];

  constructor(root: HTMLElement, changed: () => void) {
    this.#root = root;
    this.#changed = changed;
  }

  /** The slots that there were last, the request's too. */
  get slots(): readonly Slot[] {
    return this.#slots;
  }

  /** What is written, also for slots that there are no longer. */
  get filled(): readonly Filled[] {
    return this.#filled.filter(({ written }) => written !== "");
  }

  set filled(filled: readonly Filled[]) {
    this.#filled = filled;
    this.#draw();
  }

  /** Shows the fields of these; who writes in one keeps it. */
  show(slots: readonly Slot[]): void {
    if (JSON.stringify(slots) === JSON.stringify(this.#slots)) return;
    this.#slots = slots;
    this.#draw();
  }

  #draw(): void {
    const own = this.#slots.filter((slot) => !isRequest(slot));
    this.#root.replaceChildren(...own.map((slot, at) => this.#field(slot, `slot-${at}`)));
  }

  #field(slot: Slot, id: string): HTMLElement {
    const { name, filling } = slot;
    const known = filledOf(slot, this.#filled);
    const source = known?.as ?? (filling === "any" ? "list" : filling);
    const area = element("textarea", { id, dir: "auto", rows: "2", spellcheck: "false" });
    area.value = known?.written ?? "";
    const label = element("label", { for: id }, element("code", {}, name), " is ");
    const head = element("div", { class: "slot-head" }, label);
    const choice = element("select", { "aria-label": `What ${name} is` });
    if (filling === "any") {
      for (const [as, words] of Object.entries(WORDS)) choice.add(new Option(words, as));
      choice.value = source;
      head.append(choice);
    } else label.append(WORDS[filling]);
    const note = () => {
      const as = filling === "any" ? (choice.value as Source) : filling;
      const others = this.#filled.filter((it) => it !== filledOf(slot, this.#filled));
      this.#filled = [...others, { name, as, written: area.value }];
      this.#changed();
    };
    area.addEventListener("input", note);
    choice.addEventListener("change", note);
    return element("div", { class: "field" }, head, area);
  }
}
