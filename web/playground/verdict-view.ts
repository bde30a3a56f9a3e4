/** Whether the text can be completed, and if not, where it breaks and what was expected. */

import type { Fault } from "lacuna-lm/grammar";
import { element, seen } from "../src/page/dom.ts";
import { sentence } from "../src/page/findings-view.ts";
import type { Part } from "./gaps.ts";
import { isGap, writtenPlace } from "./gaps.ts";
import type { Explanation, Repeat } from "./protocol.ts";
import { quoted, rangesOfText, rangeWords } from "./words.ts";

/** How the verdict stands. */
export type Verdict = "waiting" | "yes" | "no" | "unknown";

export class VerdictView {
  readonly #root: HTMLElement;
  readonly #words: HTMLElement;
  readonly #detail: HTMLElement;

  constructor(root: HTMLElement, words: HTMLElement, detail: HTMLElement) {
    this.#root = root;
    this.#words = words;
    this.#detail = detail;
  }

  /** Says a verdict; what is said more comes with {@link explain}. */
  say(verdict: Verdict, words: string, ...detail: (Node | string)[]): void {
    this.#root.dataset.verdict = verdict;
    if (this.#words.textContent !== words) this.#words.textContent = words;
    const hadFocus = this.#detail.contains(document.activeElement);
    this.#detail.replaceChildren(...detail);
    // Else the focus would be lost with what is taken away.
    if (hadFocus) (this.#detail.querySelector("button") ?? this.#root).focus();
  }

  waiting(): void {
    this.#root.dataset.verdict = "waiting";
  }

  /** What could not be found out. */
  fault(fault: Fault): void {
    this.say("unknown", "Not decided.", sentence(fault.message));
  }

  /** Says why not. `goTo` is called where the break is chosen. */
  explain(
    explanation: Explanation,
    written: string,
    parts: readonly Part[],
    goTo: (offset: number) => void,
  ): void {
    const no = (...detail: (Node | string)[]) => this.say("no", "Cannot be completed.", ...detail);
    switch (explanation.why) {
      case "completable":
        break;
      case "empty":
        no("No text belongs to this grammar.");
        break;
      case "cells":
        no(
          "With other numbers of cells it could be, for instance as ",
          element("code", {}, ...seen(explanation.witness)),
        );
        break;
      case "invalid": {
        const { repeats } = explanation;
        if (!repeats) {
          no("The schema’s keywords refuse it, which no grammar says in full.");
          break;
        }
        const at = repeatPlace(repeats, written, parts);
        const where = element("button", { type: "button", class: "place" }, place(at, written));
        where.addEventListener("click", () => goTo(at.start));
        no(
          where,
          " ",
          element("code", {}, ...seen(repeats.text)),
          " stands before, too, and may not.",
        );
        break;
      }
      case "breaks": {
        const at = breakPlace(explanation, written, parts);
        const where = element("button", { type: "button", class: "place" }, place(at, written));
        where.addEventListener("click", () => goTo(at.start));
        const { found, witness } = explanation;
        const isEarly = found === undefined;
        const what = isEarly ? "the text ends too early" : `${quoted(found)} cannot stand`;
        const begins = element("code", {}, ...seen(witness));
        no(
          where,
          ` ${what}. `,
          expectedWords(explanation),
          element("span", { class: "begins" }, "With the same beginning: ", begins),
        );
      }
    }
  }
}

/** Where the text breaks, as it is written. */
export function breakPlace(
  explanation: Extract<Explanation, { why: "breaks" }>,
  written: string,
  parts: readonly Part[],
): { start: number; end: number } {
  const { segment, offset, found = "" } = explanation;
  return writtenSpan(segment, offset, found, written, parts);
}

/** Where something stands that stood before, as it is written. */
export function repeatPlace(
  { segment, offset, text }: Repeat,
  written: string,
  parts: readonly Part[],
): { start: number; end: number } {
  return writtenSpan(segment, offset, text, written, parts);
}

/** Where some text stands, as it is written. */
function writtenSpan(
  segment: number,
  offset: number,
  text: string,
  written: string,
  parts: readonly Part[],
): { start: number; end: number } {
  const part = parts[segment];
  if (!part) return { start: written.length, end: written.length };
  if (isGap(part)) return { start: part.start, end: part.start };
  const start = writtenPlace(written, part, offset);
  return { start, end: writtenPlace(written, part, offset + text.length) };
}

function place({ start }: { start: number }, written: string): string {
  const before = written.slice(0, start);
  const line = before.split("\n").length;
  const column = Array.from(before.slice(before.lastIndexOf("\n") + 1)).length + 1;
  const lines = written.includes("\n") ? `Line ${line}, column ` : "Column ";
  return `${lines}${column}:`;
}

/** What was expected: characters one by one, the rest in words. */
export function expectedWords({
  expected,
  others,
  end,
}: {
  readonly expected: string;
  readonly others: boolean;
  readonly end: boolean;
}): Node {
  const { shown } = rangeWords(rangesOfText(expected));
  const keys = shown.flatMap(({ words }) => [" ", element("kbd", {}, words)]);
  const words: string[] = [];
  if (others) words.push("a character beyond ASCII");
  if (end) words.push("the end of the text");
  if (keys.length + words.length === 0)
    return document.createTextNode("Nothing could stand there.");
  const or = keys.length > 0 && words.length > 0 ? " or " : " ";
  return element("span", {}, "Expected:", ...keys, `${or}${words.join(" or ")}`.trimEnd(), ". ");
}
