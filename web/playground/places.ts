/** Places that the engine tells, in the grammar's text. */

import type { Place } from "../editor/editor.ts";
import { definitions } from "../editor/rules.ts";
import { rangesOfPointers, unitsOfBytes } from "../src/page/json-places.ts";
import type { Named } from "./protocol.ts";
import type { State } from "./state.ts";

/** The whole definitions of rules or terminals, as far as their places tell. */
export function placesOfNamed(
  named: readonly Named[],
  { kind, grammar }: Pick<State, "kind" | "grammar">,
): (Place | undefined)[] {
  const pointers = kind === "jsonSchema" ? rangesOfPointers(grammar) : undefined;
  const unitsAt = unitsOfBytes(grammar);
  const all = kind === "gbnf" || kind === "lark" ? definitions(kind, grammar) : [];
  return named.map(({ place }) => {
    if (place?.pointer !== undefined) return pointers?.get(place.pointer);
    if (!place?.span) return undefined;
    if (kind === "regex") return { start: 0, end: grammar.length };
    const at = { start: unitsAt(place.span.start), end: unitsAt(place.span.end) };
    // Definitions come one after the other: the last that begins before it is that which it is in.
    const defined = all[lastUpTo(all, at.start)];
    return defined && at.start <= defined.end ? defined : at;
  });
}

/** The index of the last that begins up to an offset, of those in order; -1 if none does. */
function lastUpTo(places: readonly Place[], offset: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
