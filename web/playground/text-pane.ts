/** The text with gaps. */

import { quotedPlaces } from "../editor/directions.ts";
import { Editor, type Place } from "../editor/editor.ts";
import { pointAt, pointable } from "../editor/highlight.ts";
import { type FindIsolates, isolating, linesByWords } from "../editor/isolates.ts";
import { gapMarks } from "./gap-marks.ts";
import {
  gapBehind,
  isGap,
  type Part,
  type Piece,
  parseGaps,
  piecesOf,
  writtenPieces,
  writtenText,
} from "./gaps.ts";

/** Gaps, and what stands in quotes: it is often one of several in a row. */
const isolates: FindIsolates = (state, from, to) => {
  const text = state.sliceDoc(from, to);
  const at = (place: Place, dir: "auto" | "ltr") => {
    return { start: from + place.start, end: from + place.end, dir };
  };
  return [
    ...quotedPlaces(text).map((place) => at(place, "auto")),
    ...parseGaps(text).flatMap((part) => (isGap(part) ? [at(part, "ltr")] : [])),
  ];
};

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
        linesByWords,
        isolating(isolates),
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

  open(text: string): void {
    this.#editor.open(text);
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

  /** Puts a gap where the cursor is, of any length or of so many cells. */
  insertGap(cells = ""): void {
    const { state } = this.#editor.view;
    this.insert(gapBehind(state.sliceDoc(0, state.selection.main.from)) + cells);
  }

  /** Puts text before what is left of a gap: one of so many cells loses what it takes. */
  fill(gap: number, text: string, cells: number): void {
    const { parts } = this;
    const part = parts.filter(isGap)[gap];
    if (!part) return;
    const left = part.cells === null ? null : Math.max(0, part.cells - cells);
    // Escapes depend on what stands beside them, so the neighbours are written anew.
    const at = parts.indexOf(part);
    const [before, behind] = [parts[at - 1], parts[at + 1]];
    const own = before && !isGap(before) ? before : undefined;
    const next = behind ? piecesOf([behind])[0] : undefined;
    const pieces: Piece[] = [(own?.text ?? "") + text];
    if (left !== 0) pieces.push(left);
    if (typeof next === "string" && left === 0) pieces[0] += next;
    else if (next !== undefined) pieces.push(next);
    const written = writtenPieces(pieces);
    const from = own?.start ?? part.start;
    const isAlone = left === 0 && typeof next === "string";
    const length = isAlone ? writtenText((own?.text ?? "") + text).length : written[0]?.length;
    this.#editor.view.dispatch({
      changes: { from, to: behind?.end ?? part.end, insert: written.join("") },
      selection: { anchor: from + (length ?? 0) },
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
