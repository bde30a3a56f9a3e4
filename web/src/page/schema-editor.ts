/** The schema's text with line numbers, and what is wrong with it as it is typed. */

import type { Diagnostic } from "lacuna-lm";
import { element } from "./dom.ts";
import { findingsList, placeOf } from "./findings-view.ts";
import { lineOf, type Range } from "./json-places.ts";

/** Milliseconds without a key before the text is looked at. */
const PAUSE = 250;

/** Compiles a text; resolves with what is wrong with it, nothing if it is right. */
export type Check = (text: string) => Promise<readonly Diagnostic[]>;

interface Parts {
  readonly area: HTMLTextAreaElement;
  readonly gutter: HTMLElement;
  readonly findings: HTMLElement;
}

export class SchemaEditor {
  readonly #parts: Parts;
  readonly #check: Check;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #newest = 0;

  constructor(parts: Parts, check: Check) {
    this.#parts = parts;
    this.#check = check;
    parts.area.addEventListener("input", () => this.#changed(PAUSE));
    parts.area.addEventListener("scroll", () => {
      parts.gutter.scrollTop = parts.area.scrollTop;
    });
  }

  get text(): string {
    return this.#parts.area.value;
  }

  set text(text: string) {
    this.#parts.area.value = text;
    this.#parts.area.scrollTop = 0;
    this.#changed(0);
  }

  /** Selects a place and brings it into view. */
  goTo({ start, end }: Range): void {
    const { area } = this.#parts;
    area.focus();
    area.setSelectionRange(start, end);
    const lineHeight = Number.parseFloat(getComputedStyle(area).lineHeight);
    area.scrollTop = Math.max(0, (lineOf(area.value, start) - 4) * lineHeight);
  }

  /** Looks at the text again. */
  recheck(): void {
    this.#changed(0);
  }

  /** Shows what is wrong with the text as it stands. */
  show(findings: readonly Diagnostic[]): void {
    const { area, findings: list } = this.#parts;
    this.#number(findings);
    area.setAttribute(
      "aria-invalid",
      String(findings.some(({ severity }) => severity === "error")),
    );
    if (findings.length === 0) list.replaceChildren();
    else list.replaceChildren(findingsList(findings, area.value, (place) => this.goTo(place)));
  }

  #changed(pause: number): void {
    this.#number([]);
    clearTimeout(this.#timer);
    const turn = ++this.#newest;
    this.#timer = setTimeout(async () => {
      const findings = await this.#check(this.text);
      if (turn === this.#newest) this.show(findings);
    }, pause);
  }

  #number(findings: readonly Diagnostic[]): void {
    const { area, gutter } = this.#parts;
    const marked = new Set<number>();
    for (const finding of findings) {
      const place = placeOf(finding, area.value);
      const line = place ? lineOf(area.value, place.start) : finding.line;
      if (line !== undefined) marked.add(line);
    }
    const lines = area.value.split("\n").length;
    const numbers = Array.from({ length: lines }, (_, index) => {
      const number = String(index + 1);
      return marked.has(index + 1) ? element("mark", {}, number) : number;
    });
    gutter.replaceChildren(...numbers.flatMap((number) => [number, "\n"]));
    gutter.scrollTop = area.scrollTop;
  }
}
