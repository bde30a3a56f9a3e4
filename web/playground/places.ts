/** Places that the engine tells, in the grammar's text. */

import type { Diagnostic } from "lacuna-lm/grammar";
import type { Place } from "../editor/editor.ts";
import { definitions } from "../editor/rules.ts";
import { rangeOfBytes, rangeOfPointer } from "../src/page/json-places.ts";
import type { Named } from "./protocol.ts";
import type { State } from "./state.ts";

/** Where a finding is, if it is anywhere. */
export function placeOfFinding(finding: Diagnostic, text: string): Place | undefined {
  if (finding.span) return rangeOfBytes(text, finding.span);
  if (finding.pointer !== undefined) return rangeOfPointer(text, finding.pointer);
  return undefined;
}

/** The whole definition of a rule or a terminal, as far as its place tells. */
export function placeOfNamed({ place }: Named, { kind, grammar }: State): Place | undefined {
  if (place?.pointer !== undefined) return rangeOfPointer(grammar, place.pointer);
  if (!place?.span) return undefined;
  const at = rangeOfBytes(grammar, place.span);
  if (kind === "regex") return { start: 0, end: grammar.length };
  if (kind === "jsonSchema") return at;
  const all = definitions(kind, grammar);
  const defined = all.find(({ start, end }) => start <= at.start && at.start <= end);
  return defined ?? at;
}
