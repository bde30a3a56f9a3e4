/**
 * A canvas of cells as small squares, drawn and not laid out: hundreds of elements in each
 * of several cards would take most of a frame.
 */

import { element } from "./dom.ts";

/** Pixels of a square with its gap, before the screen's own scale. */
const PITCH = 10;
const GAP = 1.5;

/** The colours, by their custom properties. */
const COLOURS: Readonly<Record<string, string>> = {
  mask: "--rule",
  model: "--model",
  batch: "--chart-known",
  forced: "--forced",
  recovery: "--chart-recovery",
  end: "--dot-end",
};

/** Those that may be on show: whoever is done with one need not say so. */
let views: WeakRef<DotsView>[] = [];

/** Draws all anew when the colours change. */
function followColours(): void {
  const again = () => {
    for (const view of views) view.deref()?.redraw();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  const themes = new MutationObserver(again);
  themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
}

export class DotsView {
  readonly root = element("canvas", { class: "dots", "aria-hidden": "true" });
  readonly #context = this.root.getContext("2d");
  #shown: string[] = [];
  #filled = 0;
  #colours: ReadonlyMap<string, string> = new Map();

  constructor() {
    if (views.length === 0) followColours();
    views = [...views.filter((view) => view.deref()), new WeakRef(this)];
  }

  /** Cells that it has. */
  get length(): number {
    return this.#shown.length;
  }

  /** Lays out so many masked cells. */
  reset(length: number): void {
    const columns = columnsFor(length);
    const scale = Math.max(2, devicePixelRatio);
    this.root.width = columns * PITCH * scale;
    this.root.height = Math.max(1, Math.ceil(length / columns)) * PITCH * scale;
    this.#context?.setTransform(scale, 0, 0, scale, 0, 0);
    this.#shown = Array.from({ length }, () => "mask");
    this.#count(0);
    this.redraw();
  }

  /** Shows how a cell came; as a mask if it has not. */
  set(cell: number, how = "mask"): void {
    const before = this.#shown[cell];
    if (before === how || before === undefined) return;
    this.#shown[cell] = how;
    this.#count(this.#filled + Number(how !== "mask") - Number(before !== "mask"));
    this.#draw(cell);
  }

  #count(filled: number): void {
    this.#filled = filled;
    this.root.dataset.filled = String(filled);
  }

  /** Draws all cells, in the colours that hold now. */
  redraw(): void {
    const style = getComputedStyle(document.documentElement);
    const entries = Object.entries(COLOURS);
    this.#colours = new Map(entries.map(([how, name]) => [how, style.getPropertyValue(name)]));
    this.#context?.clearRect(0, 0, this.root.width, this.root.height);
    for (let cell = 0; cell < this.#shown.length; cell++) this.#draw(cell);
  }

  #draw(cell: number): void {
    const context = this.#context;
    if (!context) return;
    const columns = columnsFor(this.#shown.length);
    const [x, y] = [(cell % columns) * PITCH, Math.floor(cell / columns) * PITCH];
    const side = PITCH - 2 * GAP;
    context.clearRect(x, y, PITCH, PITCH);
    context.fillStyle = this.#colours.get(this.#shown[cell] ?? "mask") ?? "gray";
    context.beginPath();
    context.roundRect(x + GAP, y + GAP, side, side, 1.5);
    context.fill();
  }
}

/** Squares in a row: a large canvas has small ones. */
const columnsFor = (cells: number): number => (cells <= 64 ? 16 : cells <= 256 ? 32 : 48);
