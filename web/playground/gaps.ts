/**
 * Texts with gaps as they are written: `□` is a gap of any length, `□3` one of three cells.
 *
 * A backslash takes their meaning away: `\□` is the character itself, and `□\3` a gap of any
 * length with a 3 behind it. So before `□` two backslashes stand for one, and elsewhere each for
 * itself: `\\□` is a backslash and a gap; and of those between a gap and a digit one is lost.
 */

/** A piece of a text, and where it is written. */
export type Part =
  | { readonly text: string; readonly start: number; readonly end: number }
  /** `cells` is `null` where any number will do. */
  | { readonly cells: number | null; readonly start: number; readonly end: number };

/** What the engine is asked about: text, cells of a gap, or `null` for a gap of any length. */
export type Piece = string | number | null;

/** The most cells that can be written. */
export const MAX_CELLS = 999;

const MARK = /\\\\(?=\\*□)|\\□|□(?:(\d{1,3})|\\(?=\\*\d))?/gu;

/** What stands for one character of a text. */
const ESCAPED = /\\\\(?=\\*□)|\\□/uy;

/** The parts of a text as it is written; what is empty is left out. */
export function parseGaps(written: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  let text = "";
  let begun = 0;
  const add = (more: string, start: number) => {
    if (text === "") begun = start;
    text += more;
  };
  const close = (end: number) => {
    if (text !== "") parts.push({ text, start: begun, end });
    text = "";
  };
  for (const match of written.matchAll(MARK)) {
    const at = match.index;
    const end = at + match[0].length;
    if (at > from) add(written.slice(from, at), from);
    if (match[0].startsWith("\\")) {
      add(match[0].slice(1), at);
    } else {
      close(at);
      const cells = match[1] === undefined ? null : Number(match[1]);
      parts.push({ cells, start: at, end });
    }
    from = end;
  }
  if (from < written.length) add(written.slice(from), from);
  close(written.length);
  return parts;
}

/** Whether a part is a gap. */
export const isGap = (
  part: Part,
): part is { readonly cells: number | null; readonly start: number; readonly end: number } =>
  "cells" in part;

/** What the engine is asked about. */
export const piecesOf = (parts: readonly Part[]): Piece[] =>
  parts.map((part) => (isGap(part) ? part.cells : part.text));

/** A text as it is written where it has no gaps. */
export const writtenText = (text: string): string =>
  text.replace(/(\\*)□/gu, (_, before: string) => `${before}${before}\\□`);

/** How each of some pieces is written, together with what stands behind it. */
export function writtenPieces(pieces: readonly Piece[]): string[] {
  return pieces.map((piece, at) => {
    const next = pieces[at + 1];
    if (typeof piece === "string") {
      const written = writtenText(piece);
      const isBeforeGap = next !== undefined && typeof next !== "string";
      return isBeforeGap ? written.replace(/\\+$/, (run) => run + run) : written;
    }
    const behind = typeof next === "string" ? next : "";
    if (piece === null) return /^\\*\d/.test(behind) ? "□\\" : "□";
    return `□${/^\d/.test(behind) ? String(piece).padStart(3, "0") : piece}`;
  });
}

/** What has to be typed to get a gap behind a text as it is written: no escaped `□`. */
export const gapBehind = (written: string): string =>
  /(?<!\\)(\\\\)*\\$/.test(written) ? "\\□" : "□";

/**
 * Where in what is written places of a part's text are, asked from the first to the last: escapes
 * take more room than what they stand for.
 */
export function writtenWalk(written: string, part: Part): (offset: number) => number {
  let at = part.start;
  let passed = 0;
  return (offset) => {
    for (; passed < offset && at < part.end; passed++) at += widthAt(written, at);
    return at;
  };
}

/** Where in what is written a place of a part's text is. */
export const writtenPlace = (written: string, part: Part, offset: number): number =>
  writtenWalk(written, part)(offset);

/** The first place of a part's text that is not before one in what is written. */
export function textPlace(written: string, part: Part, place: number): number {
  let offset = 0;
  for (let at = part.start; at < Math.min(place, part.end); offset++) at += widthAt(written, at);
  return offset;
}

/** How much room a character takes as it is written. */
function widthAt(written: string, at: number): number {
  ESCAPED.lastIndex = at;
  return ESCAPED.test(written) ? 2 : 1;
}
