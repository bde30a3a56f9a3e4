/** Diagnostics of a grammar, as a list of places that can be gone to. */

import type { Diagnostic } from "lacuna-lm";
import { element } from "./dom.ts";
import { lineOf, type Range, rangeOfBytes, rangeOfPointer } from "./json-places.ts";

/** Where a finding is in the text, if it is anywhere. */
export function placeOf(finding: Diagnostic, text: string): Range | undefined {
  if (finding.span) return rangeOfBytes(text, finding.span);
  if (finding.pointer !== undefined) return rangeOfPointer(text, finding.pointer);
  return undefined;
}

/** The findings as a list; `goTo` is called with a place that was chosen. */
export function findingsList(
  findings: readonly Diagnostic[],
  text: string,
  goTo: (place: Range) => void,
): HTMLElement {
  return element(
    "ul",
    { class: "findings" },
    ...findings.map((finding) => item(finding, text, goTo)),
  );
}

function item(finding: Diagnostic, text: string, goTo: (place: Range) => void): HTMLElement {
  const place = placeOf(finding, text);
  const words = whereabouts(finding, text, place);
  const parts: (Node | string)[] = [];
  if (words && place) {
    const button = element("button", { type: "button", class: "place" }, words);
    button.addEventListener("click", () => goTo(place));
    parts.push(button);
  } else if (words) {
    parts.push(element("span", { class: "place" }, words));
  }
  const there = place ? text.slice(place.start, place.end) : "";
  parts.push(element("span", { class: "message" }, sentence(finding.message, there)));
  if (finding.note) parts.push(element("span", { class: "note" }, sentence(finding.note, there)));
  return element("li", { "data-severity": finding.severity }, ...parts);
}

function whereabouts(finding: Diagnostic, text: string, place: Range | undefined): string {
  const line = finding.line ?? (place ? lineOf(text, place.start) : undefined);
  const parts = [];
  if (line !== undefined)
    parts.push(`Line ${line}${finding.column ? `, column ${finding.column}` : ""}`);
  if (finding.pointer) parts.push(finding.pointer);
  return parts.join(" · ");
}

/**
 * With a capital, where it does not begin with a name like `minItems`, or with one that stands in
 * the text that it is about, and a full stop.
 */
export function sentence(text: string, about = ""): string {
  const words = text.trim();
  const first = /^[a-z]+(?=[\s,:;’']|\.?$)/.exec(words)?.[0];
  const capital =
    first && !about.split(/\W+/).includes(first)
      ? words.charAt(0).toUpperCase() + words.slice(1)
      : words;
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}
