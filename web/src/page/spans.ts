/** Which parts of the request the values of an answer were taken from. */

import { type JsonToken, jsonTokens } from "./json-tokens.ts";
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

/** Letters, digits, and the marks that belong to the letter before them. */
const BEGINS_IN_WORD = /^[\p{L}\p{N}\p{M}]/u;
const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u;

/** Where a run of whole words stands in a text. */
export function placesOf(value: string, text: string): number[] {
  const places: number[] = [];
  if (value === "") return places;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    const cutsBefore =
      ENDS_IN_WORD.test(text.slice(Math.max(0, at - 2), at)) && BEGINS_IN_WORD.test(value);
    const cutsAfter = ENDS_IN_WORD.test(value) && BEGINS_IN_WORD.test(text.slice(end, end + 2));
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

/** A text that is JSON, laid out line by line, in pieces; its tokens stay as they are written. */
export function markedJson(json: string, sources: readonly Source[]): Marked[] {
  const found: Marked[] = [];
  const plain = (text: string) => found.push({ text });
  let depth = 0;
  let before: JsonToken | undefined;
  for (const token of jsonTokens(json)) {
    const { kind, text, pointer } = token;
    if (kind === "close") depth--;
    const isFirst = before?.kind === "open" && kind !== "close";
    const isLast = kind === "close" && before?.kind !== "open";
    if (isFirst || isLast || before?.kind === "comma") plain(`\n${"  ".repeat(depth)}`);
    if (kind === "scalar" && text.startsWith('"'))
      found.push({ text, source: sources.find((source) => source.pointer === pointer) });
    else plain(kind === "colon" ? ": " : text);
    if (kind === "open") depth++;
    before = token;
  }
  return found;
}
