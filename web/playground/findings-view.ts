/** What is wrong with a grammar, as a list of places that can be gone to. */

import type { Diagnostic } from "lacuna-lm/grammar";
import type { Place } from "../editor/editor.ts";
import { element } from "../src/page/dom.ts";
import { placeOfFinding } from "./places.ts";

/** The list; `goTo` is called with a place that was chosen. */
export function findingsList(
  findings: readonly Diagnostic[],
  text: string,
  goTo: (place: Place) => void,
): HTMLElement {
  return element("ul", { class: "findings" }, ...findings.map((it) => item(it, text, goTo)));
}

function item(finding: Diagnostic, text: string, goTo: (place: Place) => void): HTMLElement {
  const { line, column, pointer, message, note, severity } = finding;
  const where = [
    line === undefined ? "" : `Line ${line}${column === undefined ? "" : `, column ${column}`}`,
    pointer ?? "",
  ].filter(Boolean);
  const words = where.join(" · ");
  const place = placeOfFinding(finding, text);
  const parts: Node[] = [];
  if (words && place) {
    const button = element("button", { type: "button", class: "place" }, words);
    button.addEventListener("click", () => goTo(place));
    parts.push(button);
  } else if (words) {
    parts.push(element("span", { class: "place" }, words));
  }
  parts.push(element("span", { class: "message" }, sentence(message)));
  if (note) parts.push(element("span", { class: "note" }, sentence(note)));
  return element("li", { "data-severity": severity }, ...parts);
}

/** With a capital and a full stop. */
export function sentence(text: string): string {
  const words = text.trim();
  const capital = /^[a-z]+\b(?![-_:=/])/.test(words)
    ? words.charAt(0).toUpperCase() + words.slice(1)
    : words;
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}
