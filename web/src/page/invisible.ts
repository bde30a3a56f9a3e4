/** Characters that cannot be seen where they stand, by their numbers. */

/**
 * What has no shape of its own: control characters but line ends and tabs, formats, fillers,
 * blanks but the space; and marks that stand on nothing.
 */
const UNSEEN =
  /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]|(?! )\p{Zs}|(?<![^\p{Z}\p{C}])\p{M}/gu;

/** A piece of a text; where it is named, the number of a character that cannot be seen. */
export interface Seen {
  readonly shown: string;
  readonly isNamed: boolean;
}

/** A text as it is shown. */
export function seenPieces(text: string): Seen[] {
  const found: Seen[] = [];
  const add = (shown: string, isNamed: boolean) => {
    if (shown !== "") found.push({ shown, isNamed });
  };
  let from = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    add(text.slice(from, index), false);
    add(codeName(character.codePointAt(0) ?? 0), true);
    from = index + character.length;
  }
  add(text.slice(from), false);
  return found;
}

/** Whether a character has no shape where it stands alone. */
export const isShapeless = (character: string): boolean =>
  /^[\p{C}\p{Z}\p{M}\u{115f}\u{1160}\u{3164}\u{ffa0}]$/u.test(character);

/** A character's number, as Unicode writes it. */
export const codeName = (code: number): string =>
  `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
