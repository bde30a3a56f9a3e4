/** Where in a JSON text a value stands. */

import { jsonTokens } from "./json-tokens.ts";

/** Offsets into a text, in UTF-16 units; the end is one past the last. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the value that a JSON pointer names stands, with its key if it has one;
 * `undefined` if there is none, or the text is no JSON up to there.
 */
export function rangeOfPointer(text: string, pointer: string): Range | undefined {
  const path = pointer.split("/").slice(1).map(unescapeSegment);
  try {
    return new Scanner(text).find(path);
  } catch {
    return undefined;
  }
}

/** Where every value of a text that is JSON stands, by its pointer; of equal ones the first. */
export function rangesOfPointers(text: string): ReadonlyMap<string, Range> {
  const found = new Map<string, Range>();
  const begun: number[] = [];
  let key: number | undefined;
  const add = (pointer: string, start: number, end: number) => {
    if (!found.has(pointer)) found.set(pointer, { start, end });
  };
  for (const { kind, start, end, pointer } of jsonTokens(text)) {
    if (kind === "close") add(pointer, begun.pop() ?? start, end);
    if (kind === "scalar") add(pointer, key ?? start, end);
    if (kind === "open") begun.push(key ?? start);
    if (kind === "key") key = start;
    else if (kind !== "colon") key = undefined;
  }
  return found;
}

/** Tells of offsets in the UTF-8 bytes of a text which they are in the string. */
export function unitsOfBytes(text: string): (byte: number) => number {
  const units: number[] = [];
  let at = 0;
  for (const character of text) {
    const bytes = bytesOf(character.codePointAt(0) ?? 0);
    for (let byte = 0; byte < bytes; byte++) units.push(at);
    at += character.length;
  }
  return (byte) => units[byte] ?? text.length;
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x1_0000 ? 3 : 4;
}

/** A span of UTF-8 bytes of a text as offsets into the string. */
export function rangeOfBytes(text: string, span: Range): Range {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const units = (end: number) => decoder.decode(bytes.subarray(0, end)).length;
  return { start: units(span.start), end: units(span.end) };
}

/** The line, from 1, that an offset is in. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

const unescapeSegment = (segment: string): string =>
  segment.replaceAll("~1", "/").replaceAll("~0", "~");

/** Reads just enough JSON to find a value; throws where the text is none. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  find(path: readonly string[]): Range | undefined {
    this.#blank();
    let start = this.#at;
    for (const segment of path) {
      const place =
        this.#text[this.#at] === "[" ? this.#enterArray(segment) : this.#enterObject(segment);
      if (place === undefined) return undefined;
      start = place;
    }
    this.#value();
    return { start, end: this.#at };
  }

  /** Goes to a member's value; gives where its key begins. */
  #enterObject(name: string): number | undefined {
    for (const _ of this.#items("{", "}")) {
      const start = this.#at;
      const key = JSON.parse(this.#string());
      this.#blank();
      this.#take(":");
      this.#blank();
      if (key === name) return start;
      this.#value();
    }
    return undefined;
  }

  #enterArray(index: string): number | undefined {
    let count = 0;
    for (const _ of this.#items("[", "]")) {
      if (String(count) === index) return this.#at;
      this.#value();
      count += 1;
    }
    return undefined;
  }

  #value(): void {
    const first = this.#text[this.#at];
    if (first === "{") {
      this.#enterObject("\u0000 no such key");
    } else if (first === "[") {
      this.#enterArray("none");
    } else if (first === '"') {
      this.#string();
    } else {
      this.#pattern(/[-+.\w]+/y);
    }
  }

  /** Stops before each item of a list; whoever iterates reads it. */
  *#items(open: string, close: string): Generator<void> {
    this.#take(open);
    this.#blank();
    while (this.#text[this.#at] !== close) {
      yield;
      this.#blank();
      if (this.#text[this.#at] !== close) this.#take(",");
      this.#blank();
    }
    this.#take(close);
  }

  #string(): string {
    return this.#pattern(/"(?:[^"\\]|\\.)*"/sy);
  }

  #blank(): void {
    this.#pattern(/\s*/y);
  }

  #take(character: string): void {
    if (this.#text[this.#at] !== character) throw new SyntaxError(`no ${character} at ${this.#at}`);
    this.#at += 1;
  }

  #pattern(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new SyntaxError(`unexpected character at ${this.#at}`);
    this.#at += found.length;
    return found;
  }
}
