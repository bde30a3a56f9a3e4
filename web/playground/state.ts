/** All that a visitor can change, and that a link carries. */

import type { GrammarKind } from "lacuna-lm/grammar";
import type { Cells } from "./protocol.ts";
import type { Filled } from "./slots.ts";

/** A text that must, or must not, belong, as it is written. */
export interface Test {
  readonly text: string;
  readonly belongs: boolean;
}

export interface State {
  readonly kind: GrammarKind;
  readonly grammar: string;
  /** The text with gaps, as it is written. */
  readonly text: string;
  /** The text that values may be bound to. */
  readonly request: string;
  /** What is handed over for other slots. */
  readonly slots: readonly Filled[];
  readonly cells: Cells;
  readonly tests: readonly Test[];
}

export const KINDS: readonly GrammarKind[] = ["gbnf", "lark", "regex", "jsonSchema"];

/** What people call the dialects. */
export const KIND_NAMES: Readonly<Record<GrammarKind, string>> = {
  gbnf: "GBNF",
  lark: "Lark",
  regex: "Regex",
  jsonSchema: "JSON Schema",
};
