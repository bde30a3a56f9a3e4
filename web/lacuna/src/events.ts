/** What happens while a text is written, as the WebAssembly module tells it. */

import type { Diagnostic } from "./fault.ts";
import type { GrammarOrigin } from "./grammar/source.ts";

/**
 * How a token came into its cell: proposed by the model and checked alone, or together with
 * others; as the only one left, all others refused or ruled out; or written to recover,
 * within what the witness leaves possible.
 */
export type Origin = "model" | "batch" | "forced" | "recovery";

/** The run has begun; nothing is filled. */
export interface BeginEvent {
  readonly type: "begin";
  readonly length: number;
  readonly steps: number;
  readonly promptTokens: number;
  readonly constrained: boolean;
  /** Where the compiled grammar came from, if there is one. */
  readonly grammar?: GrammarOrigin;
  /** What looks wrong with the grammar although it can be used. */
  readonly warnings: readonly GrammarWarning[];
  /** The ids that end a text. */
  readonly ends: readonly number[];
  /** Cells that are filled from the start: the texts of a template. */
  readonly fixed?: readonly FixedCell[];
}

/** What looks wrong with a grammar: what is in it and constrains nothing, say. */
export interface GrammarWarning extends Diagnostic {
  /** The region whose grammar it is, from 0, where regions have grammars of their own. */
  readonly region?: number;
}

/** A cell that is filled from the start, and stays so. */
export interface FixedCell {
  readonly cell: number;
  readonly token: number;
  readonly bytes: Uint8Array;
}

/** A step has begun. */
export interface StepEvent {
  readonly type: "step";
  /** From 0. */
  readonly step: number;
  readonly steps: number;
  /** Masked cells before it. */
  readonly masked: number;
}

/** The model went on elsewhere, because the device it was on failed. */
export interface MoveEvent {
  readonly type: "move";
  readonly step: number;
  /** Where it runs now. */
  readonly device: string;
  /** A short line for people, such as “GPU lost; went on on the CPU”. */
  readonly message: string;
}

/**
 * Why a token was refused: no text of the grammar goes with it; that could not be decided
 * within the checker's budget; or it is an end before text, or text behind an end.
 */
export type RefusalReason = "impossible" | "exhausted" | "end-before-text";

/** The grammar turned a proposed token away. */
export interface RefusalEvent {
  readonly type: "refusal";
  readonly step: number;
  readonly cell: number;
  readonly token: number;
  readonly bytes: Uint8Array;
  readonly probability: number;
  readonly reason: RefusalReason;
}

/** A token was written into a cell for good. */
export interface CommitEvent {
  readonly type: "commit";
  readonly step: number;
  readonly cell: number;
  readonly token: number;
  readonly bytes: Uint8Array;
  readonly probability: number;
  readonly how: Origin;
  /** Whether it is an end of text. */
  readonly end: boolean;
}

/** A committed cell was masked again. */
export interface RemaskEvent {
  readonly type: "remask";
  readonly step: number;
  readonly cell: number;
}

/** Where time went, and what it was spent on. */
export interface Timings {
  /** Milliseconds in the model. */
  readonly modelMs: number;
  /** Milliseconds in the checker: those of its parts, and of exact checks. */
  readonly checkerMs: number;
  /** Of these, in cheap checks that choose what is tried together. */
  readonly selectionMs: number;
  /** Of these, finding out which tokens may stand in cells. */
  readonly masksMs: number;
  /** Of these, in recovery. */
  readonly recoveryMs: number;
  /** Of these, while the model computed. */
  readonly besideMs: number;
  /** Canvases that were checked exactly. */
  readonly checks: number;
  /** Sets of candidates that agreed with the witness at hand and needed no check. */
  readonly agreed: number;
  /** Candidates that were refused. */
  readonly refusals: number;
  /** Of the sets of two and more that were tried, those committed. */
  readonly batches: number;
  /** Sets of two and more that were tried. */
  readonly batchesTried: number;
  /** Tokens committed in such sets. */
  readonly batchTokens: number;
  /** Cells written to recover. */
  readonly recovered: number;
}

/** What a step has cost; told when it is over. */
export interface FiguresEvent extends Timings {
  readonly type: "figures";
  readonly step: number;
  /** Where the method has memos (the checker's, EPIC's of lexings): how often they were asked. */
  readonly memoAsked?: number;
  /** Of these, how often it knew. */
  readonly memoKnown?: number;
}

/**
 * How a run ended: with a text that its method holds for complete; by taking a completion
 * for the rest of it; or with gaps.
 */
export type Outcome = "complete" | "recovered" | "unfinished";

/** The run is over. */
export interface DoneEvent {
  readonly type: "done";
  readonly text: string;
  readonly outcome: Outcome;
  readonly steps: number;
  readonly timings: Timings;
}

/** What happens in a run, in order. */
export type EngineEvent =
  | BeginEvent
  | StepEvent
  | MoveEvent
  | RefusalEvent
  | CommitEvent
  | RemaskEvent
  | FiguresEvent
  | DoneEvent;
