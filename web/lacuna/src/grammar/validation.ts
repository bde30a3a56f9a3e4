/** What is wrong with a grammar, wherever it was compiled. */

import { type Diagnostic, FAULT, LacunaError } from "../fault.ts";
import type { GrammarInfo } from "./source.ts";

/** What is wrong with a grammar. */
export interface Validation {
  /** Whether it can be used. */
  readonly valid: boolean;
  /** Errors and warnings, with line and column, or with the pointer into a schema. */
  readonly diagnostics: readonly Diagnostic[];
  /** Sizes of what it becomes, if it can be used. */
  readonly info?: GrammarInfo;
}

/** What compiling says; rejects only if that cannot be found out. */
export async function validation(compile: () => Promise<GrammarInfo>): Promise<Validation> {
  try {
    const info = await compile();
    return { valid: true, diagnostics: info.warnings, info };
  } catch (error) {
    if (!(error instanceof LacunaError)) throw error;
    const { kind, message, diagnostics } = error;
    if (diagnostics.length > 0) return { valid: false, diagnostics };
    // What arises on this side of the engine says nothing of the grammar.
    if (Object.values<string>(FAULT).includes(kind)) throw error;
    return { valid: false, diagnostics: [{ kind, message, severity: "error" }] };
  }
}
