/** An engine as a language model of the AI SDK. */

import {
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FinishReason,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4Prompt,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
  type LanguageModelV4Usage,
  type SharedV4Warning,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { DECODING, type DecodingOptions } from "../decoding.ts";
import { eitherSignal } from "../either-signal.ts";
import { BESIDE } from "../engine/call-options.ts";
import type { Engine, GenerateOptions } from "../engine/engine.ts";
import type { Generation } from "../engine/generation.ts";
import { CommittedPrefix } from "../engine/prefix.ts";
import { tokenCounts } from "../engine/usage.ts";
import type { CommitEvent, EngineEvent, GrammarWarning, Outcome } from "../events.ts";
import type { GrammarInput } from "../grammar/source.ts";
import { anything, expectOptions, type Rules } from "../options.ts";

/** What holds for all calls of a model. */
export interface LacunaModelOptions {
  /** The grammar of calls that ask for text; without one they are not constrained. */
  readonly grammar?: GrammarInput;
  /** Denoising steps. */
  readonly steps?: number;
  /** Cells of the canvas, where a call sets no `maxOutputTokens`. */
  readonly length?: number;
  /** Leaves the parts that tell of commits out of streams. */
  readonly silent?: boolean;
}

/** What a call may say in `providerOptions.lacuna`. */
export interface LacunaCallOptions
  extends Pick<LacunaModelOptions, "grammar" | "steps">,
    Pick<GenerateOptions, "task" | "texts" | "lists" | "maxDepth" | "matching" | "schema">,
    Omit<DecodingOptions, "method"> {}

/**
 * The tokens of one step, in `providerMetadata.lacuna` of a part of the kind
 * `lacuna.step`: text grows at its end only, but cells are filled in any order.
 */
export interface StepPart {
  readonly step: number;
  readonly commits: readonly {
    readonly cell: number;
    readonly text: string;
    readonly probability: number;
    readonly how: string;
  }[];
}

export class LacunaLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = "lacuna";
  readonly supportedUrls = {};
  readonly modelId: string;
  readonly #engine: Engine;
  readonly #options: LacunaModelOptions;

  constructor(modelId: string, engine: Engine, options: LacunaModelOptions) {
    this.modelId = modelId;
    this.#engine = engine;
    this.#options = options;
  }

  async doGenerate(call: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { generation, warnings: unheeded } = this.#start(call);
    const { text, outcome, events, warnings } = await generation.result;
    return {
      content: [{ type: "text", text }],
      finishReason: finishReason(outcome),
      usage: usageOf(events),
      warnings: [...unheeded, ...warnings.map(warningOf)],
    };
  }

  async doStream(call: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const abort = new AbortController();
    const signal = eitherSignal(abort, call.abortSignal);
    const { generation, warnings, given } = this.#start({ ...call, abortSignal: signal });
    const prefix = new CommittedPrefix(given);
    const parts = partsOf(generation, prefix, warnings, this.#options.silent ?? false);
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      async pull(controller) {
        const { value, done } = await parts.next();
        if (!done) return controller.enqueue(value);
        controller.close();
        // What hangs on the caller's signal is let go when the run is over.
        abort.abort();
      },
      cancel: (reason) => abort.abort(reason),
    });
    return { stream };
  }

  #start(call: LanguageModelV4CallOptions): {
    generation: Generation<unknown>;
    warnings: SharedV4Warning[];
    given: LacunaCallOptions;
  } {
    const { prompt, system } = promptOf(call.prompt);
    const given = (call.providerOptions?.lacuna ?? {}) as LacunaCallOptions;
    expectOptions("providerOptions.lacuna", given, CALL);
    const { grammar: wanted, ...more } = { ...given };
    const grammar = grammarOf(call, wanted ?? this.#options.grammar);
    const length = call.maxOutputTokens ?? this.#options.length;
    const steps = given.steps ?? this.#options.steps;
    const options: GenerateOptions = {
      ...more,
      prompt,
      grammar: grammar ?? { regex: "" },
      unconstrained: grammar === undefined,
      ...(system === undefined || given.task !== undefined ? {} : { task: system }),
      ...(length === undefined ? {} : { length }),
      ...(steps === undefined ? {} : { steps }),
      ...(call.seed === undefined ? {} : { seed: call.seed }),
      ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
      ...(call.topP === undefined ? {} : { topP: call.topP }),
      ...(call.topK === undefined ? {} : { topK: call.topK }),
      ...(call.abortSignal === undefined ? {} : { signal: call.abortSignal }),
    };
    return { generation: this.#engine.generate(options), warnings: warningsOf(call), given };
  }
}

/** With another method the answer would not be of its grammar. */
const { method: _, ...DECODING_HERE } = DECODING;

/** What `providerOptions.lacuna` may hold; what that must be, the engine knows. */
const CALL: Rules = {
  grammar: anything,
  steps: anything,
  task: anything,
  ...BESIDE,
  ...DECODING_HERE,
};

/** A run as the parts of a stream. */
async function* partsOf(
  generation: Generation<unknown>,
  prefix: CommittedPrefix,
  warnings: SharedV4Warning[],
  silent: boolean,
): AsyncGenerator<LanguageModelV4StreamPart, undefined> {
  const id = "text";
  const seen: EngineEvent[] = [];
  let commits: CommitEvent[] = [];
  try {
    for await (const event of generation) {
      seen.push(event);
      if (event.type === "begin") {
        yield { type: "stream-start", warnings: [...warnings, ...event.warnings.map(warningOf)] };
        yield { type: "text-start", id };
      }
      if (event.type === "commit") commits.push(event);
      if ((event.type === "step" || event.type === "done") && commits.length > 0 && !silent) {
        yield stepPart(commits);
        commits = [];
      }
      const delta = prefix.add(event);
      if (delta !== "") yield { type: "text-delta", id, delta };
      if (event.type !== "done") continue;
      yield { type: "text-end", id };
      yield { type: "finish", finishReason: finishReason(event.outcome), usage: usageOf(seen) };
    }
  } catch (error) {
    if (seen.length === 0) yield { type: "stream-start", warnings };
    yield { type: "error", error };
  }
}

function stepPart(commits: readonly CommitEvent[]): LanguageModelV4StreamPart {
  const decoder = new TextDecoder();
  const part = {
    step: commits[0]?.step ?? 0,
    commits: commits.map(({ cell, bytes, probability, how }) => ({
      cell,
      text: decoder.decode(bytes),
      probability,
      how,
    })),
  };
  return { type: "custom", kind: "lacuna.step", providerMetadata: { lacuna: part } };
}

/** What is asked for: one message of the user, perhaps with one of the system before it. */
function promptOf(messages: LanguageModelV4Prompt): {
  prompt: string;
  system: string | undefined;
} {
  const systems = messages.filter((message) => message.role === "system");
  const users = messages.filter((message) => message.role === "user");
  if (systems.length + users.length < messages.length || users.length !== 1) {
    throw new UnsupportedFunctionalityError({
      functionality: "conversations",
      message: "The model answers one message of the user, and knows of no conversation.",
    });
  }
  const texts = (users[0]?.content ?? []).map((part) => {
    if (part.type === "text") return part.text;
    throw new UnsupportedFunctionalityError({ functionality: `${part.type} parts` });
  });
  const system = systems.map(({ content }) => content).join("\n");
  return { prompt: texts.join("\n"), system: system === "" ? undefined : system };
}

/** The grammar of a call; `undefined` where it is not constrained. */
function grammarOf(
  { responseFormat }: LanguageModelV4CallOptions,
  otherwise: GrammarInput | undefined,
): GrammarInput | undefined {
  if (responseFormat?.type !== "json") return otherwise;
  const schema = responseFormat.schema as Readonly<Record<string, unknown>> | undefined;
  return { jsonSchema: schema ?? true };
}

const UNSUPPORTED = [
  "stopSequences",
  "presencePenalty",
  "frequencyPenalty",
  "tools",
] as const satisfies readonly (keyof LanguageModelV4CallOptions)[];

/** What a call asks for that is left out. */
function warningsOf(call: LanguageModelV4CallOptions): SharedV4Warning[] {
  const asked = UNSUPPORTED.filter((name) => {
    const value: unknown = call[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  const { reasoning = "provider-default" } = call;
  const thinks = reasoning !== "provider-default" && reasoning !== "none";
  const unheeded = thinks ? [...asked, "reasoning"] : asked;
  return unheeded.map((feature) => ({ type: "unsupported", feature }));
}

/** What looks wrong with the grammar, in a line. */
function warningOf({ kind, message, pointer, line, note }: GrammarWarning): SharedV4Warning {
  const place = pointer ?? (line === undefined ? undefined : `line ${line}`);
  const where = place ? ` (${place})` : "";
  return { type: "other", message: `${kind}${where}: ${message}${note ? `; ${note}` : ""}` };
}

function finishReason(outcome: Outcome): LanguageModelV4FinishReason {
  return { unified: outcome === "unfinished" ? "length" : "stop", raw: outcome };
}

function usageOf(events: readonly EngineEvent[]): LanguageModelV4Usage {
  const { prompt: input, written: output } = tokenCounts(events);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}
