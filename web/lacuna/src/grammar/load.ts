/**
 * The grammar engine's module: a small WebAssembly file, without models and tokenizers.
 *
 * In browsers it is fetched from beside this file, which bundlers see to; where this file
 * was read from a disk (Node, Deno, Bun), so is the module. It is loaded once, when it is
 * first needed.
 */

import init, { Grammar, TokenTable } from "../../wasm/grammar/lacuna_wasm.js";
import tables from "../../wasm/grammar/lacuna_wasm_tables.js";
import { resolveUrl } from "../base-url.ts";
import { describeThrown, LacunaError, moduleFault, reading } from "../fault.ts";
import { onDisk } from "../on-disk.ts";
import { unpackTables } from "./tables.ts";

/** Where the module comes from, if not from beside this file. */
export interface GrammarEngineOptions {
  /** The address of `lacuna-lm/grammar.wasm`. */
  readonly wasmUrl?: string | URL;
  /** Its bytes, or the module compiled. */
  readonly wasm?: BufferSource | WebAssembly.Module;
}

/** The generated bindings. */
export const bindings = { Grammar, TokenTable };

let loading: Promise<void> | undefined;
let broken: LacunaError | undefined;

/** Loads the module, once; the options of the first call hold. */
export function loadGrammarEngine(options: GrammarEngineOptions = {}): Promise<void> {
  loading ??= instantiate(options).catch((error: unknown) => {
    loading = undefined;
    throw moduleFault("The grammar engine", error, options.wasm === undefined);
  });
  return loading;
}

async function instantiate({ wasm, wasmUrl }: GrammarEngineOptions): Promise<void> {
  const beside = new URL("../../wasm/grammar/lacuna_wasm_bg.wasm", import.meta.url);
  const url = wasmUrl === undefined ? beside : reading("wasmUrl", () => resolveUrl(wasmUrl));
  const module = wasm ?? (url.protocol === "file:" ? await onDisk(url) : url);
  const { memory } = await init({ module_or_path: module });
  unpackTables(memory, tables);
}

/** Gives memory of the module back, unless it is beyond use, and its memory with it. */
export function releasing(work: () => void): void {
  if (!broken) entering(work);
}

/**
 * Calls the module. Whatever it throws becomes a {@link LacunaError}; behind a trap it is
 * not entered again, because its memory may be in any state.
 */
export function entering<Result>(work: () => Result): Result {
  if (broken) throw broken;
  try {
    return work();
  } catch (thrown) {
    const { fault, fatal } = describeThrown(thrown);
    const error = new LacunaError(fault, { cause: thrown });
    if (fatal) broken = error;
    throw error;
  }
}
