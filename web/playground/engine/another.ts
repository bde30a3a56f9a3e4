/**
 * Other completed texts: at random a few characters are put into the gaps, each such that the
 * text can still be completed; the shortest completion of the rest follows.
 */

import type { Piece } from "../gaps.ts";
import type { Completed } from "../protocol.ts";
import { type Bench, type EnginePiece, isUndecided } from "./bench.ts";
import { random } from "./random.ts";
import type { Slices, Turn } from "./slices.ts";
import { decode } from "./utf8.ts";

/** The most characters that are put into a gap. */
const MOST = 9;
/** How many texts are made before it is said that no other one was found. */
const TRIES = 16;

/** Spellings that the grammar does not tell apart. */
export interface LetterClass {
  readonly members: readonly Uint8Array[];
  /** Whether they are read at a glance: then the members are only those that are. */
  readonly isPlain: boolean;
}

/** What is read at a glance: ASCII without blanks. */
const isPlain = (it: Uint8Array) => it.every((byte) => byte > 0x20 && byte < 0x7f);

/** A class of those spellings. */
export function letterClass(spellings: readonly Uint8Array[]): LetterClass {
  const plain = spellings.filter(isPlain);
  const members = plain.length > 0 ? plain : spellings;
  return { members, isPlain: plain.length > 0 };
}

/** What texts are made of. */
export interface Letters {
  /** What gaps of any length are begun with. */
  readonly any: readonly LetterClass[];
  /** What a cell can hold. */
  readonly cells: readonly LetterClass[];
}

/** A completed text that is none of those known; `null` if none was found. */
export async function another(
  bench: Bench,
  pieces: readonly Piece[],
  letters: Letters,
  { seed, known }: { readonly seed: number; readonly known: readonly string[] },
  slices: Slices,
  turn: Turn,
): Promise<Completed | null> {
  const next = random(seed);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const found = await drawn(bench, pieces, letters, next, slices, turn);
    if (found && !known.includes(found.text)) return found;
  }
  return null;
}

async function drawn(
  bench: Bench,
  pieces: readonly Piece[],
  letters: Letters,
  next: () => number,
  slices: Slices,
  turn: Turn,
): Promise<Completed | null> {
  const chosen: EnginePiece[] = [];
  // For each piece that is asked about, the gap that it belongs to.
  const gapOf: (number | null)[] = [];
  let gap = -1;
  for (const [at, piece] of pieces.entries()) {
    if (typeof piece === "string") {
      chosen.push(piece);
      gapOf.push(null);
      continue;
    }
    gap++;
    const rest = pieces.slice(at + 1);
    let left = piece;
    for (let count = Math.floor(next() * (MOST + 1)); count > 0 && left !== 0; count--) {
      const after: EnginePiece[] = left === null ? [null] : left > 1 ? [left - 1] : [];
      const classes = left === null ? letters.any : letters.cells;
      const letter = await pick(bench, classes, next, slices, turn, (it) => [
        ...chosen,
        it,
        ...after,
        ...rest,
      ]);
      if (!letter) break;
      chosen.push(letter);
      gapOf.push(gap);
      if (left !== null) left--;
    }
    if (left !== 0) {
      chosen.push(left);
      gapOf.push(gap);
    }
  }
  const completed = bench.complete(chosen);
  return completed && joined(completed, chosen, gapOf);
}

/** A letter that may stand, of a class drawn at random; `null` if none may. */
async function pick(
  bench: Bench,
  classes: readonly LetterClass[],
  next: () => number,
  slices: Slices,
  turn: Turn,
  around: (letter: Uint8Array) => EnginePiece[],
): Promise<Uint8Array | null> {
  // Blanks and the like are seldom worth a look.
  const order = classes.map(({ members, isPlain }) => ({
    members,
    at: next() + (isPlain ? 0 : 0.8),
  }));
  for (const { members } of order.sort((a, b) => a.at - b.at)) {
    await slices.next(turn);
    const letter = members[Math.floor(next() * members.length)];
    if (!letter) continue;
    try {
      if (bench.complete(around(letter))) return letter;
    } catch (thrown) {
      if (!isUndecided(thrown)) throw thrown;
    }
  }
  return null;
}

/** The completion with what was put into gaps counted to them. */
function joined(
  { text, fillings }: Completed,
  chosen: readonly EnginePiece[],
  gapOf: readonly (number | null)[],
): Completed {
  const spans: [number, number][] = [];
  let at = 0;
  let filled = 0;
  for (const [index, piece] of chosen.entries()) {
    const start = at;
    if (typeof piece === "string") at += piece.length;
    else if (piece instanceof Uint8Array) at += decode(piece).length;
    else at = fillings[filled++]?.[1] ?? at;
    const gap = gapOf[index];
    if (gap === null || gap === undefined) continue;
    const span = spans[gap];
    if (span) span[1] = at;
    else spans[gap] = [start, at];
  }
  return { text, fillings: spans.map((span) => span ?? [0, 0]) };
}
