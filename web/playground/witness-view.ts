/** Completed texts: what came into the gaps stands out; parts can be pointed at. */

import { quotedPlaces } from "../editor/directions.ts";
import type { Place } from "../editor/editor.ts";
import { merged } from "../editor/highlight.ts";
import { element, seen } from "../src/page/dom.ts";
import { counted } from "../src/page/words.ts";
import type { Completed } from "./protocol.ts";

/** The most that is shown: a text can be longer than anyone reads. */
const MOST = 20_000;

export class WitnessView {
  readonly #root: HTMLElement;
  #shown: Completed = { text: "", fillings: [] };
  /** Pieces that nothing that can be pointed at divides. */
  #spans: { readonly start: number; readonly end: number; readonly span: HTMLElement }[] = [];

  /** `hovered` is told the character under the pointer. */
  constructor(root: HTMLElement, hovered: (offset: number | undefined) => void) {
    this.#root = root;
    root.addEventListener("pointerover", ({ target }) => {
      const piece = target instanceof Element ? target.closest<HTMLElement>("[data-at]") : null;
      const at = piece?.dataset.at;
      hovered(at === undefined ? undefined : Number(at));
    });
    root.addEventListener("pointerleave", () => hovered(undefined));
  }

  get shown(): Completed {
    return this.#shown;
  }

  /** Shows a text, in pieces that end where these places do. */
  show(completed: Completed, places: readonly Place[] = []): void {
    this.#shown = completed;
    const { text, fillings } = completed;
    const whole = text.slice(0, MOST);
    const edges = new Set([0, whole.length]);
    for (const [start, end] of fillings) edges.add(start).add(end);
    const quoted = quotedPlaces(whole);
    for (const { start, end } of [...places, ...quoted]) edges.add(start).add(end);
    const sorted = [...edges].filter((edge) => edge <= whole.length).sort((a, b) => a - b);
    const isFilled = (at: number) => fillings.some(([start, end]) => start <= at && at < end);
    this.#spans = sorted.slice(0, -1).map((start, number) => {
      const end = sorted[number + 1] ?? whole.length;
      const attributes = { class: isFilled(start) ? "filled" : undefined, "data-at": `${start}` };
      return { start, end, span: element("span", attributes, ...visible(whole.slice(start, end))) };
    });
    const rest =
      text.length > MOST ? [`… and ${counted(text.length - MOST, "more character")}`] : [];
    const nothing = text === "" ? [element("i", { class: "hint" }, "the empty text")] : [];
    this.#root.replaceChildren(...this.#isolated(quoted), ...rest, ...nothing);
  }

  /** The pieces; those of one place stand within an element that is read for itself. */
  #isolated(places: readonly Place[]): HTMLElement[] {
    const found: HTMLElement[] = [];
    let next = 0;
    for (const { start, span } of this.#spans) {
      while ((places[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
      const place = places[next];
      if (!place || start < place.start) found.push(span);
      else if (start === place.start) found.push(element("bdi", {}, span));
      else found.at(-1)?.append(span);
    }
    return found;
  }

  /** The same text in other pieces. */
  divide(places: readonly Place[]): void {
    this.show(this.#shown, places);
  }

  /** Tints parts of the text. */
  point(places: readonly Place[]): void {
    const covered = merged(places);
    let next = 0;
    for (const { start, end, span } of this.#spans) {
      while ((covered[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
      const place = covered[next];
      const isPointed = place !== undefined && place.start <= start && end <= place.end;
      span.classList.toggle("pointed", isPointed);
    }
  }
}

/** Line ends, tabs and what cannot be seen are shown. */
const visible = (text: string): (Node | string)[] =>
  seen(text.replaceAll("\t", "→\t").replaceAll("\n", "↵\n"));
