/** Places of a completed text in the text as it is written, and back. */

import type { Place } from "../editor/editor.ts";
import { isGap, type Part, writtenPlace } from "./gaps.ts";
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

/** What is written of a place of the completed text: gaps as a whole. */
export function writtenPlaces(
  written: string,
  parts: readonly Part[],
  completed: Completed,
  place: Place,
): Place[] {
  return stretches(parts, completed).flatMap(({ part, start, end }) => {
    const from = Math.max(start, place.start);
    const to = Math.min(end, place.end);
    if (from >= to) return [];
    if (isGap(part)) return [{ start: part.start, end: part.end }];
    return [
      {
        start: writtenPlace(written, part, from - start),
        end: writtenPlace(written, part, to - start),
      },
    ];
  });
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
  for (let offset = at.start; offset < at.end; offset++) {
    if (writtenPlace(written, at.part, offset - at.start) >= cursor) return offset;
  }
  return at.end - 1;
}
