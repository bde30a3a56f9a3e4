/**
 * A masked diffusion language model in the browser that writes only what a grammar allows.
 *
 * ```ts
 * import { createEngine } from "lacuna-lm";
 *
 * await using engine = createEngine({ model: "/models/lacuna-small/" });
 * const artist = { type: "string", "x-spanOf": "request" };
 * const jsonSchema = { type: "object", properties: { intent: { const: "PlayMusic" }, artist } };
 * const { value } = await engine.generate({
 *   prompt: "play some jazz by Nina Simone",
 *   grammar: { jsonSchema },
 * }).result;
 * ```
 *
 * @module
 */

import { browserCaches } from "./browser-caches.ts";
import { Engine, type EngineOptions } from "./engine/engine.ts";
import { GrammarStore } from "./worker/grammar-store.ts";
import { ModelStore } from "./worker/model-store.ts";

export type {
  CellOrder,
  CommitMethod,
  ComparedMethod,
  DecodingOptions,
  KeyCache,
  Method,
  Recovery,
  Schedule,
} from "./decoding.ts";
export type {
  Availability,
  Engine,
  EngineOptions,
  GenerateOptions,
  InfillOptions,
  LoadOptions,
} from "./engine/engine.ts";
export type { Generation, GenerationResult } from "./engine/generation.ts";
export type { OnProgress } from "./engine/loading.ts";
export type * from "./events.ts";
export { type Diagnostic, FAULT, type Fault, LacunaError } from "./fault.ts";
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
} from "./grammar/source.ts";
export type {
  StandardIssue,
  StandardOutput,
  StandardProperties,
  StandardResult,
  StandardSchema,
} from "./grammar/standard-schema.ts";
export type { Validation } from "./grammar/validation.ts";
export type {
  DevicePreference,
  DeviceReport,
  ModelFile,
  ModelFiles,
  ModelInfo,
  ModelSource,
  Progress,
} from "./model.ts";
export type { Template } from "./worker/protocol.ts";

/** An engine for a model. Nothing is fetched before it is needed. */
export function createEngine(options: EngineOptions): Engine {
  return new Engine(options);
}

/** Removes all models from the browser's storage. */
export function forgetModels(): Promise<void> {
  return new ModelStore(browserCaches()).clear();
}

/** Removes all compiled grammars from the browser's storage. */
export function forgetGrammars(): Promise<void> {
  return new GrammarStore(browserCaches()).clear();
}
