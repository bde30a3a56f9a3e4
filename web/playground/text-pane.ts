/** The text with gaps. */

import { Editor, type Place } from "../editor/editor.ts";
import { pointAt, pointable } from "../editor/highlight.ts";
import { gapMarks } from "./gap-marks.ts";
import { isGap, type Part, parseGaps, writtenText } from "./gaps.ts";

export class TextPane {
  readonly #editor: Editor;
  #cursor = 0;

  /** `moved` is told where the cursor is, and whether it was typed. */
  constructor(
    parent: HTMLElement,
    describedBy: string,
    changed: () => void,
    moved: (offset: number, byTyping: boolean) => void,
  ) {
    this.#editor = new Editor({
      parent,
      label: "Text with gaps",
      describedBy,
      changed,
      extensions: [
        pointable,
        gapMarks((offset, byTyping) => {
          this.#cursor = offset;
          moved(offset, byTyping);
        }),
      ],
    });
  }

  get text(): string {
    return this.#editor.text;
  }

  set text(text: string) {
    this.#editor.text = text;
  }

  get parts(): Part[] {
    return parseGaps(this.text);
  }

  /** The number of the gap that the cursor is in or behind, else of the first after it. */
  get gapAtCursor(): number | null {
    const gaps = this.parts.filter(isGap);
    if (gaps.length === 0) return null;
    const before = gaps.findLastIndex(({ start }) => start <= this.#cursor);
    return Math.max(0, before);
  }

  insert(text: string): void {
    this.#editor.insert(text);
  }

  /** Puts text before what is left of a gap: one of so many cells loses what it takes. */
  fill(gap: number, text: string, cells: number): void {
    const part = this.parts.filter(isGap)[gap];
    if (!part) return;
    const left = part.cells === null ? null : Math.max(0, part.cells - cells);
    const rest = left === null ? "□" : left === 0 ? "" : `□${left}`;
    // A digit behind it would count cells.
    const behind = this.text[part.end] ?? "";
    const guard = left === null && /\d/.test(behind) ? "\\" : "";
    const written = writtenText(text);
    this.#editor.view.dispatch({
      changes: { from: part.start, to: part.end, insert: written + rest + guard },
      selection: { anchor: part.start + written.length },
    });
  }

  goTo(offset: number): void {
    this.#editor.goTo({ start: offset, end: offset });
  }

  point(places: readonly Place[]): void {
    pointAt(this.#editor.view, places);
  }

  /** Marks where it breaks; nothing where it does not. */
  breakAt(place: Place | undefined, message = ""): void {
    const marks = place
      ? [{ from: place.start, to: place.end, severity: "error" as const, message }]
      : [];
    this.#editor.mark(marks);
  }
}
