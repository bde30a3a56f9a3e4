/** Which parts of the request the values of an answer were taken from. */

import type { SpanNote } from "./verdict.ts";

/** A value's place in the request. */
export interface Source {
  /** JSON pointer to the value. */
  readonly pointer: string;
  /** Offsets into the request, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** From 0, to tell one from another. */
  readonly number: number;
}

/**
 * The places of the values that stand in the request, in its order. Where a value stands
 * several times, the first place is taken that no other value has, else the first.
 */
export function sourcesOf(spans: readonly SpanNote[], request: string): Source[] {
  const taken: { start: number; end: number; pointer: string }[] = [];
  // Long ones first: a short one may stand within them by chance.
  const byLength = spans
    .filter(({ stands }) => stands)
    .sort((a, b) => b.value.length - a.value.length);
  for (const { pointer, value } of byLength) {
    const places = placesOf(value, request);
    const free = places.find(
      (start) => !taken.some((other) => start < other.end && other.start < start + value.length),
    );
    if (free !== undefined) taken.push({ pointer, start: free, end: free + value.length });
  }
  taken.sort((a, b) => a.start - b.start);
  return taken.map((source, number) => ({ ...source, number }));
}

/** Where a run of whole words stands in a text. */
export function placesOf(value: string, text: string): number[] {
  const places: number[] = [];
  if (value === "") return places;
  const inWord = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    const cutsBefore = inWord(text[at - 1]) && inWord(value[0]);
    const cutsAfter = inWord(text[end]) && inWord(value.at(-1));
    if (!cutsBefore && !cutsAfter) places.push(at);
  }
  return places;
}

/** A piece of a text, and the source that it belongs to. */
export interface Marked {
  readonly text: string;
  readonly source?: Source | undefined;
}

/** The request in pieces. */
export function markedRequest(request: string, sources: readonly Source[]): Marked[] {
  const found: Marked[] = [];
  let at = 0;
  for (const source of sources) {
    if (source.start > at) found.push({ text: request.slice(at, source.start) });
    found.push({ text: request.slice(source.start, source.end), source });
    at = source.end;
  }
  if (at < request.length) found.push({ text: request.slice(at) });
  return found;
}

/** A value laid out as JSON, in pieces. */
export function markedJson(value: unknown, sources: readonly Source[]): Marked[] {
  const found: Marked[] = [];
  const plain = (text: string) => found.push({ text });
  const write = (value: unknown, pointer: string, indent: string): void => {
    if (typeof value === "string") {
      const source = sources.find((source) => source.pointer === pointer);
      found.push({ text: JSON.stringify(value), source });
    } else if (typeof value !== "object" || value === null) {
      plain(JSON.stringify(value));
    } else {
      const list = Array.isArray(value);
      const entries = Object.entries(value);
      const [open, close] = list ? ["[", "]"] : ["{", "}"];
      if (entries.length === 0) plain(`${open}${close}`);
      else {
        entries.forEach(([key, item], index) => {
          plain(`${index === 0 ? open : ","}\n${indent}  `);
          if (!list) plain(`${JSON.stringify(key)}: `);
          write(item, `${pointer}/${escapeSegment(key)}`, `${indent}  `);
        });
        plain(`\n${indent}${close}`);
      }
    }
  };
  write(value, "", "");
  return found;
}

const escapeSegment = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
