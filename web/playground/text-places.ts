/** Places of a completed text in the text as it is written, and back. */

import type { Place } from "../editor/editor.ts";
import { merged } from "../editor/highlight.ts";
import { isGap, type Part, textPlace, writtenWalk } from "./gaps.ts";
import type { Completed } from "./protocol.ts";

/** A part, and where it is in the completed text. */
interface Stretch {
  readonly part: Part;
  readonly start: number;
  readonly end: number;
}

/** Where each part is in the completed text. */
function stretches(parts: readonly Part[], { fillings }: Completed): Stretch[] {
  let at = 0;
  let gap = 0;
  return parts.map((part) => {
    const start = at;
    at = isGap(part) ? (fillings[gap++]?.[1] ?? at) : at + part.text.length;
    return { part, start, end: at };
  });
}

/** What is written of places of the completed text, in order: gaps as a whole. */
export function writtenPlaces(
  written: string,
  parts: readonly Part[],
  completed: Completed,
  places: readonly Place[],
): Place[] {
  const found: Place[] = [];
  const left = merged(places);
  let first = 0;
  for (const { part, start, end } of stretches(parts, completed)) {
    const writtenAt = writtenWalk(written, part);
    for (let place = left[first]; place && place.start < end; place = left[first]) {
      const [from, to] = [Math.max(start, place.start), Math.min(end, place.end)];
      if (from < to && isGap(part)) found.push({ start: part.start, end: part.end });
      else if (from < to) {
        found.push({ start: writtenAt(from - start), end: writtenAt(to - start) });
      }
      // What goes on in the next part is looked at there, too.
      if (place.end > end) break;
      first++;
    }
  }
  return found;
}

/** Where in the completed text the character behind a cursor is; in a gap, its first. */
export function completedPlace(
  written: string,
  parts: readonly Part[],
  completed: Completed,
  cursor: number,
): number | undefined {
  const all = stretches(parts, completed);
  const at = all.find(({ part }) => part.start <= cursor && cursor < part.end);
  if (!at) return undefined;
  if (isGap(at.part)) return at.start;
  return Math.min(at.start + textPlace(written, at.part, cursor), at.end - 1);
}
