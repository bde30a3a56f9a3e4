/** The canvas as a grid of cells. */

import type { CommitEvent, RefusalEvent } from "lacuna-lm";
import { pieces, plain } from "./bytes.ts";
import { element } from "./dom.ts";
import type { Timeline } from "./timeline.ts";

/** Under this probability a cell is marked as unsure. */
const UNSURE = 0.5;

/** Told which cell is looked at, or that none is. */
export type OnInspect = (cell: number | undefined) => void;

export class CanvasView {
  readonly #root: HTMLElement;
  #cells: HTMLButtonElement[] = [];

  constructor(root: HTMLElement, onInspect: OnInspect) {
    this.#root = root;
    const inspect = (event: Event) => onInspect(this.#indexOf(event.target));
    root.addEventListener("pointerover", inspect);
    root.addEventListener("pointerleave", () => onInspect(undefined));
    root.addEventListener("focusin", inspect);
    root.addEventListener("focusout", () => onInspect(undefined));
    root.addEventListener("keydown", (event) => this.#move(event));
    root.addEventListener("animationend", ({ target }) => {
      if (target instanceof HTMLElement && target.classList.contains("refused")) target.remove();
    });
  }

  /** Lays out so many masked cells. */
  reset(length: number): void {
    this.#cells = Array.from({ length }, (_, index) =>
      element("button", { type: "button", class: "cell", tabindex: index === 0 ? "0" : "-1" }),
    );
    this.#cells.forEach((_, index) => {
      this.#show(index, undefined);
    });
    this.#root.replaceChildren(...this.#cells);
  }

  /** What has come until now is not the latest any more. */
  beginStep(): void {
    for (const cell of this.#root.querySelectorAll(".fresh")) cell.classList.remove("fresh");
  }

  /** Writes a token into its cell, as it comes. */
  commit(event: CommitEvent): void {
    this.#show(event.cell, event);
    this.#cells[event.cell]?.classList.add("fresh");
  }

  /** Shows a refused token for a moment. */
  refuse(event: RefusalEvent): void {
    this.#strike(event, "refused passing");
  }

  /** Shows a run as it stood after so many steps. */
  show(timeline: Timeline, steps: number): void {
    if (this.#cells.length !== timeline.length) this.reset(timeline.length);
    this.#cells.forEach((cell, index) => {
      const commit = timeline.at(index, steps);
      this.#show(index, commit);
      cell.classList.toggle("fresh", commit?.step === steps - 1);
    });
    for (const refusal of timeline.refusedIn(steps)) this.#strike(refusal, "refused");
  }

  #show(index: number, commit: CommitEvent | undefined): void {
    const cell = this.#cells[index];
    if (!cell) return;
    cell.classList.remove("fresh");
    cell.dataset.how = commit ? (commit.end ? "end" : commit.how) : "mask";
    cell.toggleAttribute(
      "data-unsure",
      commit !== undefined && !commit.end && commit.probability < UNSURE,
    );
    const text = commit?.end ? "end" : commit ? plain(commit.bytes) : "";
    cell.dataset.size = sizeOf(text);
    cell.setAttribute("aria-label", `Cell ${index + 1}: ${commit ? text : "mask"}`);
    if (!commit) cell.replaceChildren();
    else if (commit.end) cell.replaceChildren("end");
    else cell.replaceChildren(...pieces(commit.bytes).map(rendered));
  }

  #strike(event: RefusalEvent, classes: string): void {
    const cell = this.#cells[event.cell];
    if (!cell) return;
    cell.querySelector(".refused")?.remove();
    const text = plain(event.bytes) || "end";
    cell.append(
      element("del", { class: classes, "data-size": sizeOf(text), "aria-hidden": "true" }, text),
    );
  }

  #indexOf(target: EventTarget | null): number | undefined {
    const cell = target instanceof Element ? target.closest(".cell") : null;
    const index = cell instanceof HTMLButtonElement ? this.#cells.indexOf(cell) : -1;
    return index < 0 ? undefined : index;
  }

  /** Arrow keys go from cell to cell; one cell at a time can be reached by Tab. */
  #move(event: KeyboardEvent): void {
    const from = this.#indexOf(event.target);
    if (from === undefined) return;
    const to = this.#target(event.key, from);
    const cell = to === undefined ? undefined : this.#cells[to];
    if (!cell) return;
    event.preventDefault();
    this.#cells[from]?.setAttribute("tabindex", "-1");
    cell.setAttribute("tabindex", "0");
    cell.focus();
  }

  #target(key: string, from: number): number | undefined {
    if (key === "ArrowRight") return from + 1;
    if (key === "ArrowLeft") return from - 1;
    if (key === "ArrowDown") return from + this.#columns();
    if (key === "ArrowUp") return from - this.#columns();
    if (key === "Home") return 0;
    if (key === "End") return this.#cells.length - 1;
    return undefined;
  }

  #columns(): number {
    return getComputedStyle(this.#root).gridTemplateColumns.split(" ").length;
  }
}

function rendered({ kind, shown }: ReturnType<typeof pieces>[number]): Node {
  return kind === "text" ? document.createTextNode(shown) : element("span", { class: kind }, shown);
}

/** How small a cell's text must be set to fit. */
function sizeOf(text: string): "s" | "m" | "l" | "xl" {
  if (text.length <= 5) return "s";
  if (text.length <= 7) return "m";
  return text.length <= 9 ? "l" : "xl";
}
