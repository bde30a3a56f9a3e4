/**
 * The protocol between the page and the engine's worker.
 *
 * The page sends calls; each carries an `id` that is never used twice, and gets
 * exactly one last word back: `loaded`, `compiled`, `finished`, `cancelled` or
 * `failed`, with the same `id`. Before it may come `progress` (of a `load`) and
 * `events` (of a `generate`), any number of them, in order.
 *
 * The worker runs one `generate` at a time, those that come meanwhile wait in
 * order. Between two denoising steps it reads its messages: a `cancel` takes
 * effect there, and a `compile` is answered there, so that a schema can be
 * edited while a run goes on. `cancel` is not a call: it names the `generate`
 * to give up, running or waiting, and is ignored if that is over.
 *
 * A `failed` whose fault is fatal (a WebAssembly trap: memory may be in any
 * state) ends the worker; the page settles whatever else was open.
 *
 * Errors cross as {@link Fault}s, plain data with a `kind`, never as strings.
 */

import type {
  DevicePreference,
  EngineEvent,
  Fault,
  GenerateRequest,
  GrammarInfo,
  GrammarSource,
  ModelInfo,
} from "../engine.ts";

/** Fetch the model's files from a folder, make an engine of them and put it on a device. */
export interface LoadCall {
  readonly type: "load";
  readonly id: number;
  /** Absolute address of the folder, with a slash at the end. */
  readonly folder: string;
  readonly device: DevicePreference;
}

/** Compile a grammar, for its diagnostics. */
export interface CompileCall {
  readonly type: "compile";
  readonly id: number;
  readonly grammar: GrammarSource;
  /** Texts that the grammar's strings may be bound to, by name. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Write a text. */
export interface GenerateCall {
  readonly type: "generate";
  readonly id: number;
  readonly request: GenerateRequest;
}

/** Give a `generate` up. */
export interface CancelOrder {
  readonly type: "cancel";
  readonly id: number;
}

/** From the page to the worker. */
export type ToWorker = LoadCall | CompileCall | GenerateCall | CancelOrder;

/** Bytes of the model's files so far. */
export interface ProgressNote {
  readonly type: "progress";
  readonly id: number;
  readonly loaded: number;
  /** `null` where the server does not say. */
  readonly total: number | null;
}

export interface LoadedAnswer {
  readonly type: "loaded";
  readonly id: number;
  readonly info: ModelInfo;
}

export interface CompiledAnswer {
  readonly type: "compiled";
  readonly id: number;
  readonly info: GrammarInfo;
}

/** What happened in one step of a run. */
export interface EventsNote {
  readonly type: "events";
  readonly id: number;
  readonly events: readonly EngineEvent[];
}

export interface FinishedAnswer {
  readonly type: "finished";
  readonly id: number;
}

export interface CancelledAnswer {
  readonly type: "cancelled";
  readonly id: number;
}

export interface FailedAnswer {
  readonly type: "failed";
  readonly id: number;
  readonly fault: Fault;
  /** Whether the worker is of no use any more. */
  readonly fatal: boolean;
}

/** From the worker to the page. */
export type FromWorker =
  | ProgressNote
  | LoadedAnswer
  | CompiledAnswer
  | EventsNote
  | FinishedAnswer
  | CancelledAnswer
  | FailedAnswer;
