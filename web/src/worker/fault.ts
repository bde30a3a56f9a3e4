/** Faults: errors as data, on both sides of the worker's edge. */

import { type Diagnostic, type Fault, isFault } from "../engine.ts";

/** Kinds of faults that arise on this side of the engine. */
export const FAULT = {
  /** A file could not be fetched. */
  network: "network",
  /** The engine itself broke; only a restart helps. */
  trap: "trap",
  /** The worker is gone. */
  worker: "worker",
  /** The caller gave the call up. */
  cancelled: "cancelled",
  /** Something nobody thought of. */
  internal: "internal",
} as const;

/** A fault as an exception, with its kind and diagnostics. */
export class EngineError extends Error implements Fault {
  override readonly name = "EngineError";
  readonly kind: string;
  readonly diagnostics: readonly Diagnostic[];

  constructor({ kind, message, diagnostics = [] }: Fault) {
    super(message);
    this.kind = kind;
    this.diagnostics = diagnostics;
  }
}

/** Whatever was thrown, as a fault, and whether the engine is beyond use after it. */
export function describeThrown(thrown: unknown): { fault: Fault; fatal: boolean } {
  if (thrown instanceof WebAssembly.RuntimeError) {
    const message = `The engine broke: ${thrown.message}`;
    return { fault: { kind: FAULT.trap, message }, fatal: true };
  }
  if (isFault(thrown)) return { fault: thrown, fatal: false };
  if (thrown instanceof EngineError) {
    const { kind, message, diagnostics } = thrown;
    return { fault: { kind, message, diagnostics }, fatal: false };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { fault: { kind: FAULT.internal, message }, fatal: false };
}
