/** A grammar that was compiled, and the vocabulary that its cells are counted in. */

import { describeThrown, type Fault } from "../../lacuna/src/fault.ts";
import type { Piece } from "../gaps.ts";
import { type TokenTable, Workbench } from "../pkg/lacuna_wasm.js";
import type {
  Completed,
  Explanation,
  ExportDialect,
  GrammarState,
  Info,
  TreeNode,
} from "../protocol.ts";
import { decode } from "./utf8.ts";
import type { Vocabulary } from "./vocabularies.ts";

/** A piece as the engine takes it: bytes too, where a token holds part of a character. */
export type EnginePiece = Piece | Uint8Array;

/** Whatever was thrown, as a fault. Behind a trap nothing more can be asked. */
export function faultOf(thrown: unknown): Fault {
  const { fault, fatal } = describeThrown(thrown);
  if (fatal) throw thrown;
  return fault;
}

/** Whether something was thrown because nobody knows, which is not an answer. */
export function isUndecided(thrown: unknown): boolean {
  return ["budget", "undecided"].includes(faultOf(thrown).kind);
}

export class Bench {
  readonly #handle: Workbench;
  readonly vocabulary: Vocabulary;

  constructor({ kind, text, texts, lists }: GrammarState, vocabulary: Vocabulary) {
    this.#handle = Workbench.open(kind, text, { texts, lists }, vocabulary.table);
    this.vocabulary = vocabulary;
  }

  info(): Info {
    return this.#handle.info() as Info;
  }

  complete(pieces: readonly EnginePiece[]): Completed | null {
    return this.#handle.complete([...pieces]) as Completed | null;
  }

  explain(pieces: readonly EnginePiece[]): Explanation {
    const explanation = this.#handle.explain([...pieces]) as Explanation;
    const inUnits = <Place extends { readonly segment: number; readonly offset: number }>(
      place: Place,
    ): Place => {
      const text = pieces[place.segment];
      if (typeof text !== "string") return place;
      const before = new TextEncoder().encode(text).subarray(0, place.offset);
      return { ...place, offset: decode(before).length };
    };
    if (explanation.why === "breaks") return inUnits(explanation);
    if (explanation.why !== "invalid" || !explanation.repeats) return explanation;
    return { ...explanation, repeats: inUnits(explanation.repeats) };
  }

  derive(text: string): TreeNode[] {
    return this.#handle.derive(text) as TreeNode[];
  }

  export(dialect: ExportDialect): string {
    return this.#handle.export(dialect);
  }

  /** Tokens of a vocabulary that the grammar never tells apart, those that can stand. */
  classes({ table }: { readonly table: TokenTable }): number[][] {
    const classes = this.#handle.classes(table);
    const members = new Map<number, number[]>();
    classes.forEach((of, token) => {
      if (of === 0xffffffff) return;
      const known = members.get(of);
      if (known) known.push(token);
      else members.set(of, [token]);
    });
    return [...members.values()];
  }

  dispose(): void {
    this.#handle.free();
  }
}
