/**
 * A provider for the AI SDK (`@ai-sdk/provider` 4, specification v4): `generateText`,
 * `streamText` and structured output with a model in the browser.
 *
 * ```ts
 * import { generateText, Output } from "ai";
 * import { createEngine } from "lacuna-lm";
 * import { createLacuna } from "lacuna-lm/ai-sdk";
 *
 * const lacuna = createLacuna({ engine: createEngine({ model: "/models/lacuna-small/" }) });
 * const { output } = await generateText({
 *   model: lacuna(),
 *   prompt: "play some jazz by Nina Simone",
 *   output: Output.object({ schema }),
 * });
 * ```
 *
 * @module
 */

import { type LanguageModelV4, NoSuchModelError } from "@ai-sdk/provider";
import type { Engine } from "../engine/engine.ts";
import { anything, count, expectOptions, flag, isEngine, type Rules, rule } from "../options.ts";
import { LacunaLanguageModel, type LacunaModelOptions } from "./language-model.ts";

export type { LacunaCallOptions, LacunaModelOptions, StepPart } from "./language-model.ts";

/** What a provider is made of. */
export interface LacunaProviderOptions extends LacunaModelOptions {
  /** The engine that writes. */
  readonly engine: Engine;
}

/** A provider: called with a name, or without, it gives the engine's model. */
export interface LacunaProvider {
  (modelId?: string): LanguageModelV4;
  readonly specificationVersion: "v4";
  languageModel(modelId: string): LanguageModelV4;
  embeddingModel(modelId: string): never;
  imageModel(modelId: string): never;
}

const PROVIDER: Rules = {
  engine: rule(isEngine, "an engine, made by createEngine"),
  grammar: anything,
  steps: count(1),
  length: count(1),
  silent: flag,
};

/** A provider whose one model is an engine's. */
export function createLacuna(provider: LacunaProviderOptions): LacunaProvider {
  expectOptions("createLacuna", provider, PROVIDER, ["engine"]);
  const { engine, ...options } = provider;
  const languageModel = (modelId = "lacuna"): LanguageModelV4 =>
    new LacunaLanguageModel(modelId, engine, options);
  const none = (modelType: "embeddingModel" | "imageModel") => (modelId: string) => {
    throw new NoSuchModelError({ modelId, modelType });
  };
  return Object.assign((modelId?: string) => languageModel(modelId), {
    specificationVersion: "v4" as const,
    languageModel,
    embeddingModel: none("embeddingModel"),
    imageModel: none("imageModel"),
  });
}
