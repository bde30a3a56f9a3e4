/**
 * Grammars without a model: which texts with gaps can be completed, how, and if not, why.
 *
 * ```ts
 * import { compileGrammar } from "lacuna-lm/grammar";
 *
 * const grammar = await compileGrammar({ gbnf: 'root ::= "(" [0-9]+ ")"' });
 * grammar.canComplete(["(", null]); // true
 * grammar.witness(["(", null]); // "(0)"
 * grammar.explain(["(x"]); // breaks at 1: a digit was expected
 * ```
 *
 * @module
 */

import { abortable, isSignal } from "../abortable.ts";
import { invalid } from "../fault.ts";
import { CompiledGrammar } from "./compiled.ts";
import { loadGrammarEngine } from "./load.ts";
import { type GrammarInput, type GrammarOptions, readGrammar, type ValueOf } from "./source.ts";
import { type Validation, validation } from "./validation.ts";
import type { Vocabulary } from "./vocabulary.ts";

export { type Diagnostic, FAULT, type Fault, LacunaError } from "../fault.ts";
export type {
  Answer,
  Break,
  CompiledGrammar,
  Explanation,
  GapOptions,
  Segment,
} from "./compiled.ts";
export { type GrammarEngineOptions, loadGrammarEngine } from "./load.ts";
export type {
  GrammarInfo,
  GrammarInput,
  GrammarKind,
  GrammarOptions,
  GrammarOrigin,
  GrammarSource,
  ReadGrammar,
  SchemaChoices,
  SchemaInput,
  ValueOf,
} from "./source.ts";
export type {
  StandardIssue,
  StandardOutput,
  StandardProperties,
  StandardResult,
  StandardSchema,
} from "./standard-schema.ts";
export type { Validation } from "./validation.ts";
export { Vocabulary, type VocabularyInput } from "./vocabulary.ts";

/** What is handed over with a grammar that is compiled here. */
export interface CompileOptions extends GrammarOptions {
  /** The tokens that gaps are counted in. */
  readonly vocabulary?: Vocabulary;
  /** Gives the call up. */
  readonly signal?: AbortSignal;
}

/**
 * Compiles a grammar.
 *
 * @throws {@link LacunaError} of kind `grammar`, with diagnostics, if it cannot be used.
 */
export async function compileGrammar<const Grammar extends GrammarInput>(
  grammar: Grammar,
  options?: CompileOptions,
): Promise<CompiledGrammar<ValueOf<Grammar>>> {
  const { vocabulary, signal, ...others } = options ?? {};
  if (signal !== undefined && !isSignal(signal)) throw invalid("signal is no AbortSignal");
  await abortable(loadGrammarEngine(), signal);
  const read = readGrammar(grammar);
  return new CompiledGrammar({ ...read, options: { ...read.options, ...others } }, vocabulary);
}

/**
 * What is wrong with a grammar; rejects only if that cannot be found out, as where an option
 * makes no sense, or what is handed over is no grammar.
 */
export function validate(grammar: GrammarInput, options: CompileOptions = {}): Promise<Validation> {
  return validation(async () => {
    const compiled = await compileGrammar(grammar, options);
    const { info } = compiled;
    compiled.dispose();
    return info;
  });
}
