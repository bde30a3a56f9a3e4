/** Showing a cell's bytes, which need not be whole characters. */

import { codeName, isShapeless } from "./invisible.ts";

/** A piece of a cell's text as it is shown. */
export interface Piece {
  /**
   * `text` as it stands; `blank` a stand-in for white space or a control
   * character; `byte` two hex digits of a byte that is no character of its own.
   */
  readonly kind: "text" | "blank" | "byte";
  readonly shown: string;
}

const BLANKS: Readonly<Record<string, string>> = { " ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍" };

/** The pieces that a cell's bytes are shown as, in order. */
export function pieces(bytes: Uint8Array): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      found.push({ kind: "byte", shown: hex(bytes[at] ?? 0) });
      at += 1;
      continue;
    }
    add(found, decoder.decode(bytes.subarray(at, at + length)));
    at += length;
  }
  return found;
}

/** The pieces as one string, for labels. */
export function plain(bytes: Uint8Array): string {
  return pieces(bytes)
    .map(({ kind, shown }) => (kind === "byte" ? `<${shown}>` : shown))
    .join("");
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function add(found: Piece[], character: string): void {
  const last = found.at(-1);
  // A mark belongs to the letter before it.
  const isCarried = last?.kind === "text" && /\p{M}/u.test(character);
  const name = isCarried || !isShapeless(character) ? undefined : nameOf(character);
  if (name !== undefined) found.push({ kind: "blank", shown: name });
  else if (last?.kind === "text")
    found[found.length - 1] = { kind: "text", shown: last.shown + character };
  else found.push({ kind: "text", shown: character });
}

const nameOf = (character: string): string =>
  BLANKS[character] ?? codeName(character.codePointAt(0) ?? 0);

/** Bytes of the whole character that begins at `at`; 0 if none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    try {
      strict.decode(bytes.subarray(at, at + length));
      return length;
    } catch {
      // Not yet a whole character, or never one.
    }
  }
  return 0;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, "0");
