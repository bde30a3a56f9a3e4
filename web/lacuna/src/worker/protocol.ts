/**
 * The protocol between the page and the engine's worker.
 *
 * The worker first says that it hears (`ready`), and the page where the module is
 * (`configure`). Then the page sends calls; each carries
 * an `id` that is never used twice, and gets exactly one last word back: `loaded`,
 * `compiled`, `finished`, `cancelled` or `failed`, with the same `id`. Before it may come
 * `progress` (of a `load`) and `events` (of a `generate`), any number of them, in order.
 *
 * The worker runs one `generate` at a time, or several of the same `turns` a step each;
 * those that come meanwhile wait in order. Loads are done one after another: their files are
 * fetched while texts are written, and a model takes another's place when none is. Between two
 * denoising steps, behind the model's answer and between two checks it reads its messages: a
 * `cancel` takes effect there, and a `compile` is answered there, so that a schema can be edited
 * while a run goes on. Grammars are compiled one after another. `cancel` is not a call: it names
 * the `load`, `compile` or `generate` to give up, running or waiting, and is ignored if that is
 * over. Compiling a grammar is not interrupted: only one that waits is given up.
 *
 * A `failed` whose fault is fatal (a WebAssembly trap: memory may be in any
 * state) ends the worker; the page settles whatever else was open.
 *
 * Errors cross as {@link Fault}s, plain data with a `kind`, never as strings.
 */

import type { DecodingOptions } from "../decoding.ts";
import type { EngineEvent } from "../events.ts";
import type { Fault } from "../fault.ts";
import type {
  GrammarInfo,
  GrammarOptions,
  GrammarSource,
  SchemaChoices,
} from "../grammar/source.ts";
import type { DevicePreference, FoundFiles, ModelInfo, Progress } from "../model.ts";

/** Where the engine's module is, and whether it may use threads. */
export interface Configuration {
  /** The address of `lacuna-lm/engine.wasm`, if it is not beside the worker. */
  readonly wasmUrl?: string;
  /** `false` leaves threads aside where they could be had. */
  readonly threads?: boolean;
}

export interface ConfigureOrder extends Configuration {
  readonly type: "configure";
}

/** Fetch a model's files, make an engine of them and put it on a device. */
export interface LoadCall {
  readonly type: "load";
  readonly id: number;
  readonly files: FoundFiles;
  readonly device: DevicePreference;
}

/** Compile a grammar, for its diagnostics. */
export interface CompileCall {
  readonly type: "compile";
  readonly id: number;
  readonly grammar: GrammarSource;
  readonly options: GrammarOptions;
}

/** One text to be written, as the engine's module takes it. */
export interface GenerateRequest {
  /** What the user said. */
  readonly request: string;
  /** The prompt's task line; taken from the schema if left out. */
  readonly task?: string;
  readonly grammar: GrammarSource;
  readonly texts?: Readonly<Record<string, string>>;
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  readonly maxDepth?: number;
  readonly matching?: string;
  readonly schema?: SchemaChoices;
  /** Cells of the canvas. */
  readonly length: number;
  /** Denoising steps. */
  readonly steps: number;
  readonly seed: number;
  /** The method, and what is to be otherwise than it has it. */
  readonly decoding: DecodingOptions;
}

/** A template's pieces: text that stays, or a gap of so many cells, or of between so many. */
export type Template = readonly (string | number | readonly [least: number, most: number])[];

/** Write a text. */
export interface GenerateCall {
  readonly type: "generate";
  readonly id: number;
  readonly request: GenerateRequest;
  /** Fill its gaps instead of an empty canvas. */
  readonly template?: Template;
  /** Calls of the same name that are open together take turns, a step each. */
  readonly turns?: string;
}

/** Give a call up. */
export interface CancelOrder {
  readonly type: "cancel";
  readonly id: number;
}

/** From the page to the worker. */
export type ToWorker = ConfigureOrder | LoadCall | CompileCall | GenerateCall | CancelOrder;

/** The worker hears what it is told from now on. */
export interface ReadyNote {
  readonly type: "ready";
}

/** Bytes of the model's files so far. */
export interface ProgressNote extends Progress {
  readonly type: "progress";
  readonly id: number;
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
  /** The model's facts, where it has moved in this step. */
  readonly info?: ModelInfo;
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

/** What the worker says of a call. */
export type OfCall =
  | ProgressNote
  | LoadedAnswer
  | CompiledAnswer
  | EventsNote
  | FinishedAnswer
  | CancelledAnswer
  | FailedAnswer;

/** From the worker to the page. */
export type FromWorker = ReadyNote | OfCall;
