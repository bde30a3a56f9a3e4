/** Characters in words. */

import { codeName, isShapeless } from "../src/page/invisible.ts";

const NAMES: Readonly<Record<number, string>> = {
  9: "tab",
  10: "new line",
  13: "return",
  32: "space",
  160: "no-break space",
};

/** How a character is shown by itself. */
export function characterName(code: number): string {
  const character = String.fromCodePoint(code);
  return NAMES[code] ?? (isShapeless(character) ? codeName(code) : character);
}

/** A character in a sentence. */
export function quoted(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const isOne = String.fromCodePoint(code) === character;
  if (!isOne || !isShapeless(character)) return `“${character}”`;
  return NAMES[code] ? `a ${NAMES[code]}` : codeName(code);
}

/** Characters that are shown one by one or as ranges, and how many others there are. */
export interface RangeWords {
  readonly shown: readonly { readonly words: string; readonly only: string | undefined }[];
  readonly beyond: number;
}

/** Places where one kind of character ends and the next begins. */
const EDGES = [0x20, 0x21, 0x30, 0x3a, 0x41, 0x5b, 0x61, 0x7b, 0x7f, 0x80];

/** Characters beyond ASCII that are shown one by one; more are counted. */
const FEW = 24;

/** Ranges of characters in words. */
export function rangeWords(ranges: readonly (readonly [low: number, high: number])[]): RangeWords {
  const shown: { words: string; only: string | undefined }[] = [];
  const one = (code: number) => {
    shown.push({ words: characterName(code), only: String.fromCodePoint(code) });
  };
  for (const [low, high] of ranges) {
    let from = low;
    while (from <= Math.min(high, 0x7f)) {
      const edge = EDGES.find((edge) => edge > from) ?? 0x80;
      const to = Math.min(high, edge - 1);
      // Marks one by one, letters and digits as ranges.
      if (to - from > 2) {
        shown.push({ words: `${characterName(from)}–${characterName(to)}`, only: undefined });
      } else {
        for (let code = from; code <= to; code++) one(code);
      }
      from = to + 1;
    }
  }
  const beyond = ranges.flatMap(([low, high]) =>
    high < 0x80 ? [] : [[Math.max(low, 0x80), high]],
  );
  const count = beyond.reduce((sum, [low = 0, high = 0]) => {
    return sum + high - low + 1 - surrogates(low, high);
  }, 0);
  if (count > FEW) return { shown, beyond: count };
  for (const [low = 0, high = 0] of beyond) {
    for (let code = low; code <= high; code++) if (surrogates(code, code) === 0) one(code);
  }
  return { shown, beyond: 0 };
}

function surrogates(low: number, high: number): number {
  return Math.max(0, Math.min(high, 0xdfff) - Math.max(low, 0xd800) + 1);
}

/** Each character of a text as a range of its own, sorted, what touches joined. */
export function rangesOfText(text: string): [low: number, high: number][] {
  const ranges: [number, number][] = [];
  const codes = Array.from(text, (it) => it.codePointAt(0) ?? 0).sort((a, b) => a - b);
  for (const code of codes) {
    const last = ranges.at(-1);
    if (last && code <= last[1] + 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return ranges;
}

/** A time in words. */
export function duration(millis: number): string {
  if (millis < 1) return "under 1 ms";
  if (millis < 1000) return `${Math.round(millis)} ms`;
  return `${(millis / 1000).toFixed(1)} s`;
}
