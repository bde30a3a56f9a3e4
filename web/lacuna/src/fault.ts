/** Errors: as data where they cross the worker's edge, as exceptions elsewhere. */

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
  /** Of several regions, the one that is at fault, counted from 0. */
  readonly region?: number;
}

/** Whether a value has the shape of a {@link Fault}. */
export function isFault(value: unknown): value is Fault {
  if (typeof value !== "object" || value === null || value instanceof Error) return false;
  const { kind, message } = value as Partial<Fault>;
  return typeof kind === "string" && typeof message === "string";
}

/** Kinds of faults that arise on this side of the engine. */
export const FAULT = {
  /** A file could not be fetched. */
  network: "network",
  /** A file is not the one that its record names. */
  integrity: "integrity",
  /** The engine itself broke; the next call starts a fresh one. */
  trap: "trap",
  /** The worker is gone; the next call starts another. */
  worker: "worker",
  /** The engine cannot run here at all. */
  unavailable: "unavailable",
  /** The caller gave the call up. */
  cancelled: "cancelled",
  /** The engine, or the grammar, was disposed of. */
  disposed: "disposed",
  /** What was asked for is not understood, or not to be had. */
  invalid: "invalid-input",
  /** The text is in the grammar, but its own schema's checks refuse the value. */
  refusedValue: "refused-value",
  /** Something nobody thought of. */
  internal: "internal",
} as const;

/** A fault as an exception, with its kind and diagnostics. */
export class LacunaError extends Error implements Fault {
  /** `AbortError` where the caller gave the call up, as the platform has it. */
  override readonly name: "LacunaError" | "AbortError";
  readonly kind: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly region?: number;

  constructor({ kind, message, diagnostics = [], region }: Fault, options?: ErrorOptions) {
    super(message, options);
    this.name = kind === FAULT.cancelled ? "AbortError" : "LacunaError";
    this.kind = kind;
    this.diagnostics = diagnostics;
    if (region !== undefined) this.region = region;
  }
}

/** A fault for what is not understood. */
export function invalid(message: string, cause?: unknown): LacunaError {
  const fault = { kind: FAULT.invalid, message: /[.?]$/.test(message) ? message : `${message}.` };
  return new LacunaError(fault, cause === undefined ? undefined : { cause });
}

/** What a call fails with whose signal was aborted. */
export function cancelled(signal?: AbortSignal): LacunaError {
  const options = signal?.aborted ? { cause: signal.reason as unknown } : undefined;
  return new LacunaError({ kind: FAULT.cancelled, message: "The call was cancelled." }, options);
}

/** Throws if the call was given up before it began. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal);
}

/** Reads what a caller handed over; what that throws says that it is not what was asked for. */
export function reading<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof LacunaError) throw thrown;
    const why = thrown instanceof Error ? thrown.message : describeThrown(thrown).fault.message;
    throw invalid(`${what} could not be read: ${why}`, thrown);
  }
}

/** Whatever was thrown, as an exception of ours. */
export function asError(thrown: unknown): LacunaError {
  return thrown instanceof LacunaError ? thrown : new LacunaError(describeThrown(thrown).fault);
}

/** Whether the stack was too small: a module that it ends in the middle of is beyond use. */
function isOutOfStack(thrown: unknown): thrown is Error {
  return thrown instanceof Error && /call stack|too much recursion/i.test(thrown.message);
}

/** Whatever was thrown, as a fault, and whether the engine is beyond use after it. */
export function describeThrown(thrown: unknown): { fault: Fault; fatal: boolean } {
  if (thrown instanceof WebAssembly.RuntimeError || isOutOfStack(thrown)) {
    const message = `The engine broke: ${thrown.message}`;
    return { fault: { kind: FAULT.trap, message }, fatal: true };
  }
  if (isFault(thrown)) return { fault: thrown, fatal: false };
  if (thrown instanceof LacunaError) {
    const { kind, message, diagnostics, region } = thrown;
    const fault = { kind, message, diagnostics };
    return { fault: region === undefined ? fault : { ...fault, region }, fatal: false };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { fault: { kind: FAULT.internal, message }, fatal: false };
}

/** Why a module cannot be had: not fetched, or not to be run here. */
export function moduleFault(what: string, thrown: unknown, isFetched = true): LacunaError {
  if (thrown instanceof LacunaError) return thrown;
  const why = describeThrown(thrown).fault.message;
  // What a server says instead of a module is refused for its first bytes.
  const isRefused = /^(Link|Range|Compile)Error: (?!.*(magic|asm'))/s.test(`${thrown}`);
  const kind = isRefused || !isFetched ? FAULT.unavailable : FAULT.network;
  return new LacunaError(
    { kind, message: `${what} could not be loaded: ${why}` },
    { cause: thrown },
  );
}
