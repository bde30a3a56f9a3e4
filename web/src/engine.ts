/**
 * The engine's words, as the WebAssembly module speaks them: what it is asked,
 * what it tells while it writes, and how it fails.
 */

/** How a grammar text is written. */
export type GrammarKind = "jsonSchema" | "gbnf" | "lark" | "regex";

/** A grammar as the user wrote it. */
export interface GrammarSource {
  readonly kind: GrammarKind;
  readonly text: string;
  /** A name for messages. */
  readonly name?: string;
}

/** One text to be written. */
export interface GenerateRequest {
  /** What the user said. */
  readonly request: string;
  /** The prompt's task line; taken from the schema if left out. */
  readonly task?: string;
  readonly grammar: GrammarSource;
  /** Texts that the grammar may name, besides the request. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Lists that the grammar may name. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** How deep the text may be nested. */
  readonly maxDepth?: number;
  /** A regular expression that the whole text must match. */
  readonly matching?: string;
  /** Cells of the canvas. */
  readonly length: number;
  /** Denoising steps. */
  readonly steps: number;
  readonly seed: number;
  readonly temperature: number;
  /** Let the model write what it likes, for comparison. */
  readonly unconstrained: boolean;
}

/** Where a model shall run; `auto` takes the graphics card if it is right and not slower. */
export type DevicePreference = "auto" | "cpu" | "gpu";

/** Where a model runs, and why there. */
export interface DeviceReport {
  /** `cpu` or `webgpu`. */
  readonly device: string;
  /** The graphics card's name, where the browser tells it. */
  readonly adapter?: string;
  /** Threads of the processor. */
  readonly threads: number;
  /** Half a sentence for people. */
  readonly why: string;
}

/** A loaded model's facts. */
export interface ModelInfo {
  readonly parameters: number;
  readonly vocabulary: number;
  readonly layers: number;
  readonly hidden: number;
  readonly maxPositions: number;
  readonly device: DeviceReport;
}

/** How a token came into its cell: chosen alone, in a batch, or from the witness. */
export type Origin = "model" | "batch" | "recovery";

/**
 * Where a compiled grammar came from: it was compiled now, or before in this page, or
 * it was in the browser's storage; `rebuilt` if what was there is of no use.
 */
export type GrammarOrigin = "compiled" | "memory" | "storage" | "rebuilt";

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
  | DoneEvent;

/** One finding about a grammar text. */
export interface Diagnostic {
  readonly kind: string;
  readonly message: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in characters. */
  readonly column?: number;
  /** Byte offsets into the UTF-8 of the text. */
  readonly span?: { readonly start: number; readonly end: number };
  /** JSON pointer into the schema. */
  readonly pointer?: string;
  /** How to mend it. */
  readonly note?: string;
  readonly severity: "error" | "warning";
}

/** How a call fails: a kind that code can tell apart and words for people. */
export interface Fault {
  readonly kind: string;
  readonly message: string;
  readonly diagnostics?: readonly Diagnostic[];
}

/** What is handed over with a grammar. */
export interface GrammarOptions {
  /** Texts any run of whole words of which may stand in a slot, by name. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Literals that may stand in a slot, by name. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** Texts nested deeper do not belong. */
  readonly maxDepth?: number;
  /** Texts that do not match this regular expression as a whole do not belong. */
  readonly matching?: string;
  /** Compile a schema as for writing: declared order of properties, compact. */
  readonly writing?: boolean;
}

/** What a compiled grammar tells of itself. */
export interface GrammarInfo {
  /** What looks wrong with it although it can be used. */
  readonly warnings: readonly Diagnostic[];
  readonly rules: number;
  readonly terminals: number;
  readonly nonterminals: number;
  readonly productions: number;
  readonly lexerStates: number;
  readonly origin: GrammarOrigin;
}

/** Whether a value has the shape of a {@link Fault}. */
export function isFault(value: unknown): value is Fault {
  if (typeof value !== "object" || value === null || value instanceof Error) return false;
  const { kind, message } = value as Partial<Fault>;
  return typeof kind === "string" && typeof message === "string";
}
