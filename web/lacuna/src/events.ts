/** What happens while a text is written, as the WebAssembly module tells it. */

import type { GrammarOrigin } from "./grammar/source.ts";

/** How a token came into its cell: chosen alone, in a batch, or from the witness. */
export type Origin = "model" | "batch" | "recovery";

/** The run has begun; nothing is filled. */
export interface BeginEvent {
  readonly type: "begin";
  readonly length: number;
  readonly steps: number;
  readonly promptTokens: number;
  readonly constrained: boolean;
  /** Where the compiled grammar came from, if there is one. */
  readonly grammar?: GrammarOrigin;
  /** The ids that end a text. */
  readonly ends: readonly number[];
  /** Cells that are filled from the start: the texts of a template. */
  readonly fixed?: readonly FixedCell[];
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

/** The grammar turned a proposed token away. */
export interface RefusalEvent {
  readonly type: "refusal";
  readonly step: number;
  readonly cell: number;
  readonly token: number;
  readonly bytes: Uint8Array;
  readonly probability: number;
  readonly reason: string;
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

/** Where the time of a run went. */
export interface Timings {
  readonly modelMs: number;
  readonly checkerMs: number;
  readonly checks: number;
  readonly refusals: number;
}

/** The run is over. */
export interface DoneEvent {
  readonly type: "done";
  readonly text: string;
  readonly outcome: "complete" | "unfinished";
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
  | DoneEvent;
