/** What the page and its worker say to each other. */

import type { Diagnostic, Fault, GrammarKind } from "lacuna-lm/grammar";
import type { Piece } from "./gaps.ts";
import type { HandedOver } from "./slots.ts";
import type { Spelling } from "./tokens.ts";

/** The dialects that a grammar can be exported to. */
export type ExportDialect = "gbnf" | "lark" | "regex";

/** What cells hold. */
export type Cells = "characters" | "tokens";

/** A grammar, as far as compiling depends on it. */
export interface GrammarState extends HandedOver {
  readonly kind: GrammarKind;
  readonly text: string;
  readonly cells: Cells;
}

/** A text that must, or must not, belong. */
export interface TestCase {
  readonly pieces: readonly Piece[];
  readonly belongs: boolean;
}

/** Everything that is looked at after a key was pressed. */
export interface Look {
  readonly grammar: GrammarState;
  readonly pieces: readonly Piece[];
  readonly tests: readonly TestCase[];
  /** The gap, by its number from 0, whose choices are wanted. */
  readonly gap: number | null;
}

/** What is asked on a button's press. */
export type Question =
  /** A completed text by another seed, none of those known. */
  | { readonly ask: "another"; readonly seed: number; readonly known: readonly string[] }
  /** How a text of the grammar follows from its rules. */
  | { readonly ask: "derive"; readonly text: string }
  | { readonly ask: "export"; readonly dialect: ExportDialect }
  /** Whether a text may stand first in a gap, and if not, why. */
  | { readonly ask: "try"; readonly gap: number; readonly text: string }
  | { readonly ask: "try"; readonly gap: number; readonly token: number };

/** What the page says; questions are about the newest look. */
export type ToWorker =
  | { readonly kind: "look"; readonly turn: number; readonly look: Look; readonly assets: Assets }
  | { readonly kind: "ask"; readonly id: number; readonly question: Question };

/** Where the worker fetches what it needs. */
export interface Assets {
  readonly wasm: string;
  /** The folder of the model whose tokenizer names the tokens. */
  readonly model: string;
}

/** A rule or a terminal, and where it is defined. */
export interface Named {
  readonly name: string;
  readonly place?: Spot | undefined;
}

/** A place in a grammar: bytes of its text, or a JSON pointer. */
export interface Spot {
  readonly span?: { readonly start: number; readonly end: number };
  readonly pointer?: string;
}

/** What a grammar is made of. */
export interface Info {
  readonly warnings: readonly Diagnostic[];
  readonly rules: readonly Named[];
  readonly terminals: readonly Named[];
  readonly shortest?: number | undefined;
}

/** A completed text, and where its gaps were. */
export interface Completed {
  readonly text: string;
  readonly fillings: readonly (readonly [start: number, end: number])[];
}

/** Why a text cannot be completed. */
export type Explanation =
  | { readonly why: "completable"; readonly witness: string }
  | { readonly why: "empty" }
  | { readonly why: "cells"; readonly witness: string }
  /** The grammar, which admits more than is valid, has it; the schema's keywords refuse it. */
  | { readonly why: "invalid"; readonly repeats?: Repeat }
  | {
      readonly why: "breaks";
      /** The piece that breaks. */
      readonly segment: number;
      /** Where in it, in UTF-16 units. */
      readonly offset: number;
      readonly found?: string;
      readonly expected: string;
      readonly others: boolean;
      readonly end: boolean;
      readonly witness: string;
    };

/** A part of a text that is equal to one before it, where none may be. */
export interface Repeat {
  /** The piece in which it begins. */
  readonly segment: number;
  /** Where in it, in UTF-16 units. */
  readonly offset: number;
  readonly text: string;
}

/** A part of a derivation; nodes stand behind the one that they are part of. */
export interface TreeNode {
  readonly parent?: number | undefined;
  readonly by: "rule" | "terminal" | "text";
  readonly id?: number | undefined;
  readonly start: number;
  readonly end: number;
}

/** What may stand first in a gap. */
export interface Choices {
  readonly gap: number;
  /** Whether the gap may stay empty; `undefined` where it has cells. */
  readonly empty?: boolean | undefined;
  /** Ranges of characters, where they were asked for. */
  readonly characters?: readonly (readonly [low: number, high: number])[] | undefined;
  /** Ids of tokens, where there are tokens. */
  readonly tokens?: readonly number[] | undefined;
  /** Between 0 and 1. */
  readonly progress: number;
  /** Whether a budget ran out for some: those are not among them. */
  readonly undecided: number;
}

/** What came of a test. */
export type TestResult = { readonly belongs: boolean } | { readonly fault: Fault };

/** What the worker says of a look, piece by piece. */
export type Finding =
  | { readonly about: "grammar"; readonly info: Info; readonly millis: number }
  | { readonly about: "grammar"; readonly fault: Fault }
  | { readonly about: "verdict"; readonly completed: Completed | null; readonly millis: number }
  | { readonly about: "verdict"; readonly fault: Fault }
  | { readonly about: "explanation"; readonly explanation: Explanation }
  | { readonly about: "explanation"; readonly fault: Fault }
  | { readonly about: "tree"; readonly text: string; readonly nodes: readonly TreeNode[] }
  | { readonly about: "tree"; readonly text: string; readonly fault: Fault }
  | { readonly about: "test"; readonly at: number; readonly result: TestResult }
  | { readonly about: "choices"; readonly choices: Choices }
  | { readonly about: "tokens"; readonly spellings: readonly (Spelling | null)[] };

/** Answers to questions. */
export interface Answers {
  readonly another: Completed | null;
  readonly derive: readonly TreeNode[];
  readonly export: string;
  readonly try: Tried;
}

/** What came of putting something into a gap. */
export interface Tried {
  readonly explanation: Explanation;
  /** What stands right before the break, gaps as `□`. */
  readonly before: string;
}

export type FromWorker =
  /** Something is being downloaded, which takes as long as it takes. */
  | { readonly kind: "loading" }
  /** It is there. */
  | { readonly kind: "ready" }
  | { readonly kind: "begun"; readonly turn: number }
  /** A sign of life. */
  | { readonly kind: "alive" }
  | { readonly kind: "found"; readonly turn: number; readonly finding: Finding }
  | { readonly kind: "looked"; readonly turn: number }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly kind: "refusal"; readonly id: number; readonly fault: Fault }
  /** The engine broke, and nothing more can be asked of it. */
  | { readonly kind: "broken"; readonly fault: Fault };
