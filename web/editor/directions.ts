/** Words that are written from right to left, among others. */

/** Letters, digits and marks of the scripts that are. */
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Whether a text has words that are written from right to left. */
export const hasLeftward = (text: string): boolean => LEFTWARD.test(text);

/** What stands in quotes; Hebrew has the same sign within words. */
const QUOTED = /(?<![\p{L}\p{M}\p{N}])"(?:\\.|[^"\\\n])*"(?![\p{L}\p{M}\p{N}])/gu;

/** Strings in quotes that have such words: each is read for itself, wherever it stands. */
export function quotedPlaces(text: string): { readonly start: number; readonly end: number }[] {
  if (!hasLeftward(text)) return [];
  return Array.from(text.matchAll(QUOTED), ({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  })).filter(({ start, end }) => hasLeftward(text.slice(start, end)));
}
