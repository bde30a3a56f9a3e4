/** A compiled grammar that answers questions about texts with gaps. */

import { FAULT, LacunaError, reading } from "../fault.ts";
import { bindings, entering, releasing } from "./load.ts";
import type { GrammarInfo, GrammarOptions, GrammarSource, ReadGrammar } from "./source.ts";
import type { StandardSchema } from "./standard-schema.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A piece of a text: what is written, or a gap. */
export type Segment = string | Uint8Array | null;

/** Whether a text with gaps can be completed. */
export interface Answer {
  readonly completable: boolean;
  /** A completed text, if so. */
  readonly witness?: string;
  /** How long that took, in microseconds. */
  readonly micros: number;
}

/** Why a text with gaps cannot be completed. */
export type Explanation =
  /** It can be. */
  | { readonly why: "completable"; readonly witness: string }
  /** No text belongs to the grammar. */
  | { readonly why: "empty" }
  /** It could be, if gaps had other numbers of cells. */
  | { readonly why: "cells"; readonly witness: string }
  | Break;

/** A segment has something in it that cannot stand there. */
export interface Break {
  readonly why: "breaks";
  /** The segment that breaks, from 0. */
  readonly segment: number;
  /** Where in it: an index into the string, or into the bytes. */
  readonly offset: number;
  /** The character that cannot stand there; `undefined` where the text ends too early. */
  readonly found?: string;
  /** The characters of ASCII that could. */
  readonly expected: string;
  /** Whether characters beyond ASCII could. */
  readonly others: boolean;
  /** Whether the text could end there. */
  readonly end: boolean;
  /** A text that begins as this one does before the break. */
  readonly witness: string;
}

/** How many cells each gap has, in order; without it gaps have any length. */
export interface GapOptions {
  readonly gaps?: readonly number[];
}

type Handle = ReturnType<typeof bindings.Grammar.compile>;

/**
 * A compiled grammar. All questions are answered at once, by the thread that asks: to
 * keep a page responsive, ask from a worker. It lives outside JavaScript's memory until
 * {@link CompiledGrammar.dispose} is called, or it is collected.
 */
export class CompiledGrammar<Value = unknown> implements ReadGrammar<Value> {
  readonly source: GrammarSource;
  readonly options: GrammarOptions;
  readonly schema: StandardSchema<unknown, Value> | undefined;
  /** Sizes, and what looks wrong with the grammar although it can be used. */
  readonly info: GrammarInfo;
  readonly #handle: Handle;
  #disposed = false;

  /** @internal Made by `compileGrammar`. */
  constructor(read: ReadGrammar<Value>, vocabulary: Vocabulary | undefined) {
    this.source = read.source;
    this.options = read.options;
    this.schema = read.schema;
    const { kind, text } = read.source;
    const table = reading("The vocabulary", () => vocabulary?.share());
    this.#handle = entering(() => bindings.Grammar.compile(kind, text, read.options, table));
    this.info = entering(() => this.#handle.info() as GrammarInfo);
  }

  /** Whether a text with gaps (`null`) can be completed. */
  canComplete(segments: readonly Segment[], options?: GapOptions): boolean {
    return this.check(segments, options).completable;
  }

  /** A completed text, or `undefined` if there is none. */
  witness(segments: readonly Segment[] = [null], options?: GapOptions): string | undefined {
    return this.check(segments, options).witness;
  }

  /** Both, and how long it took. */
  check(segments: readonly Segment[], { gaps }: GapOptions = {}): Answer {
    return this.#ask((handle) => handle.check(segments, gaps) as Answer);
  }

  /** Why a text with gaps cannot be completed: where it breaks, and what was expected. */
  explain(segments: readonly Segment[], { gaps }: GapOptions = {}): Explanation {
    const explanation = this.#ask((handle) => handle.explain(segments, gaps) as Explanation);
    if (explanation.why !== "breaks") return explanation;
    const broken = segments[explanation.segment];
    if (typeof broken !== "string") return explanation;
    const before = new TextEncoder().encode(broken).subarray(0, explanation.offset);
    return {
      ...explanation,
      offset: new TextDecoder("utf-8", { ignoreBOM: true }).decode(before).length,
    };
  }

  /**
   * The tokens that may stand in each masked cell of a canvas, all other masked cells
   * being free: for each cell that is `null`, the ids; for others, `null`. The grammar
   * must have been compiled with a vocabulary.
   */
  allowedTokens(cells: readonly (number | null)[]): (Uint32Array | null)[] {
    return this.#ask((handle) => handle.allowed(cells) as (Uint32Array | null)[]);
  }

  /** Gives its memory back. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    releasing(() => this.#handle.free());
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #ask<Result>(question: (handle: Handle) => Result): Result {
    if (this.#disposed) {
      const message = "The grammar is disposed of.";
      throw new LacunaError({ kind: FAULT.disposed, message });
    }
    return entering(() => question(this.#handle));
  }
}
