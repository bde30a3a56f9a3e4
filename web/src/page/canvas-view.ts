/** The canvas as a grid of cells. Draws only what has changed: a frame is short. */

import type { CommitEvent, RefusalEvent } from "lacuna-lm";
import { pieces, plain } from "./bytes.ts";
import { element } from "./dom.ts";
import type { Timeline } from "./timeline.ts";

/** Under this probability a cell is marked as unsure. */
const UNSURE = 0.5;

/** Told which cell is looked at, or that none is. */
export type OnInspect = (cell: number | undefined, at: HTMLElement | undefined) => void;

export class CanvasView {
  readonly #root: HTMLElement;
  #cells: HTMLButtonElement[] = [];
  /** What each cell shows. */
  #shown: (CommitEvent | undefined)[] = [];
  #fresh = new Set<HTMLElement>();
  #struck = new Set<HTMLElement>();
  #steps = 1;

  constructor(root: HTMLElement, onInspect: OnInspect) {
    this.#root = root;
    const inspect = (event: Event) => {
      const cell = this.#indexOf(event.target);
      onInspect(cell, cell === undefined ? undefined : this.#cells[cell]);
    };
    const leave = () => onInspect(undefined, undefined);
    root.addEventListener("pointerover", inspect);
    root.addEventListener("pointerleave", leave);
    root.addEventListener("focusin", inspect);
    root.addEventListener("focusout", leave);
    root.addEventListener("keydown", (event) => this.#move(event));
    root.addEventListener("animationend", ({ target }) => {
      if (!(target instanceof HTMLElement) || !target.classList.contains("refused")) return;
      this.#unstrike(target);
    });
  }

  /** Lays out so many masked cells, to be filled in so many steps. */
  reset(length: number, steps = 1): void {
    this.#steps = steps;
    this.#fresh.clear();
    this.#struck.clear();
    this.#shown = [];
    this.#cells = Array.from({ length }, (_, index) => {
      const label = `Cell ${index + 1}: mask`;
      const tabindex = index === 0 ? "0" : "-1";
      return element("button", {
        ...{ type: "button", class: "cell", "data-how": "mask", "aria-label": label, tabindex },
      });
    });
    this.#root.replaceChildren(...this.#cells);
  }

  /** Colours the cells by how they came, or by when. */
  colour(by: "how" | "when"): void {
    this.#root.dataset.colours = by;
  }

  /** What has come until now is not the latest any more. */
  beginStep(): void {
    for (const cell of this.#fresh) cell.classList.remove("fresh");
    this.#fresh.clear();
  }

  /** Writes a token into its cell, as it comes. */
  commit(event: CommitEvent): void {
    this.#show(event.cell, event);
    this.#freshen(event.cell);
  }

  /** Masks a cell again. */
  remask(cell: number): void {
    this.#show(cell, undefined);
  }

  /** Shows a refused token for a moment. */
  refuse(event: RefusalEvent): void {
    this.#strike(event, "refused passing");
  }

  /** Shows a run as it stood after so many steps. */
  show(timeline: Timeline, steps: number): void {
    if (this.#cells.length !== timeline.length) this.reset(timeline.length);
    this.#steps = Math.max(1, timeline.plannedSteps);
    this.beginStep();
    for (const struck of this.#struck) this.#unstrike(struck);
    for (let index = 0; index < this.#cells.length; index++) {
      const commit = timeline.at(index, steps);
      this.#show(index, commit);
      if (commit && commit.step === steps - 1) this.#freshen(index);
    }
    for (const refusal of timeline.refusedIn(steps)) this.#strike(refusal, "refused");
  }

  #freshen(index: number): void {
    const cell = this.#cells[index];
    if (!cell) return;
    cell.classList.add("fresh");
    this.#fresh.add(cell);
  }

  #show(index: number, commit: CommitEvent | undefined): void {
    const cell = this.#cells[index];
    if (!cell || this.#shown[index] === commit) return;
    this.#shown[index] = commit;
    const text = commit?.end ? "end" : commit ? plain(commit.bytes) : "";
    cell.dataset.how = commit ? (commit.end ? "end" : commit.how) : "mask";
    cell.dataset.size = sizeOf(text);
    cell.toggleAttribute(
      "data-unsure",
      commit !== undefined && !commit.end && commit.probability < UNSURE,
    );
    const share = commit ? commit.step / Math.max(1, this.#steps - 1) : 0;
    cell.style.setProperty("--when", `${Math.round(share * 100)}%`);
    cell.setAttribute("aria-label", `Cell ${index + 1}: ${commit ? text : "mask"}`);
    const nodes = !commit ? [] : commit.end ? ["end"] : pieces(commit.bytes).map(rendered);
    // What was refused just before passes over what comes.
    const struck = cell.classList.contains("struck") ? cell.lastElementChild : null;
    cell.replaceChildren(...nodes, ...(struck ? [struck] : []));
  }

  #strike(event: RefusalEvent, classes: string): void {
    const cell = this.#cells[event.cell];
    if (!cell) return;
    if (cell.classList.contains("struck")) cell.lastElementChild?.remove();
    const text = plain(event.bytes) || "end";
    const struck = element(
      "del",
      { class: classes, "data-size": sizeOf(text), "aria-hidden": "true" },
      text,
    );
    this.#struck.add(struck);
    cell.classList.add("struck");
    cell.append(struck);
  }

  #unstrike(struck: HTMLElement): void {
    this.#struck.delete(struck);
    struck.parentElement?.classList.remove("struck");
    struck.remove();
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
