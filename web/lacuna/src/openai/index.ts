/**
 * An object that answers `chat.completions.create` as OpenAI's client does, with the
 * engine's model.
 *
 * ```ts
 * import { createEngine } from "lacuna-lm";
 * import { createOpenAI } from "lacuna-lm/openai";
 *
 * const openai = createOpenAI(createEngine({ model: "/models/lacuna-small/" }));
 * const { choices } = await openai.chat.completions.create({
 *   messages: [{ role: "user", content: "play some jazz by Nina Simone" }],
 *   response_format: { type: "json_schema", json_schema: { name: "intent", schema } },
 * });
 * ```
 *
 * What cannot be done (several choices, tools, stop words) is an error, never ignored.
 *
 * @module
 */

import { DECODING } from "../decoding.ts";
import { eitherSignal } from "../either-signal.ts";
import type { Engine, GenerateOptions } from "../engine/engine.ts";
import type { Generation } from "../engine/generation.ts";
import { CommittedPrefix } from "../engine/prefix.ts";
import { tokenCounts } from "../engine/usage.ts";
import type { EngineEvent, Outcome } from "../events.ts";
import { FAULT, invalid, LacunaError } from "../fault.ts";
import { type GrammarInput, readGrammar } from "../grammar/source.ts";
import {
  anything,
  expectOptions,
  flag,
  isEngine,
  signal as isSignal,
  type Rules,
  shown,
} from "../options.ts";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ChatMessage,
  FinishReason,
  ResponseFormat,
  StreamingRequest,
  Usage,
} from "./types.ts";

export type * from "./types.ts";

/** What goes with a request, as OpenAI's client takes it. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
}

/** The answering object. */
export interface OpenAILike {
  readonly chat: {
    readonly completions: {
      create(
        request: StreamingRequest,
        options?: RequestOptions,
      ): Promise<AsyncIterable<ChatCompletionChunk>>;
      create(
        request: ChatCompletionRequest & { readonly stream?: false | null },
        options?: RequestOptions,
      ): Promise<ChatCompletion>;
    };
  };
}

/** An object that answers as OpenAI's client does. */
export function createOpenAI(engine: Engine): OpenAILike {
  if (!isEngine(engine)) throw invalid("createOpenAI takes an engine, made by createEngine");
  async function create(
    request: ChatCompletionRequest,
    requestOptions: RequestOptions = {},
  ): Promise<ChatCompletion | AsyncIterable<ChatCompletionChunk>> {
    expectOptions("What goes with a request", requestOptions, { signal: isSignal });
    const { signal } = requestOptions;
    const options = optionsOf(request);
    const abort = new AbortController();
    const generation = engine.generate({ ...options, signal: eitherSignal(abort, signal) });
    const head = {
      id: `chatcmpl-${crypto.randomUUID?.() ?? Date.now().toString(36)}`,
      created: Math.floor(Date.now() / 1000),
      model: request.model ?? "lacuna",
    };
    const includeUsage = request.stream_options?.include_usage ?? false;
    // What hangs on the caller's signal is let go when the run is over.
    if (!request.stream) return whole(generation, head).finally(() => abort.abort());
    const stream = chunks(generation, new CommittedPrefix(options), head, includeUsage, abort);
    // One that was never read has nothing to clean up behind itself.
    const leave = stream.return.bind(stream);
    stream.return = (value) => {
      abort.abort();
      return leave(value);
    };
    return stream;
  }
  return {
    chat: { completions: { create: create as OpenAILike["chat"]["completions"]["create"] } },
  };
}

type Head = Pick<ChatCompletion, "id" | "created" | "model">;

async function whole(generation: Generation<unknown>, head: Head): Promise<ChatCompletion> {
  const { text, outcome, events } = await generation.result;
  const message = { role: "assistant", content: text, refusal: null } as const;
  const finish_reason = reasonOf(outcome);
  return {
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason, logprobs: null }],
    usage: usageOf(events),
  };
}

/** A run as chunks; whoever leaves them gives it up. */
async function* chunks(
  generation: Generation<unknown>,
  prefix: CommittedPrefix,
  head: Head,
  includeUsage: boolean,
  abort: AbortController,
): AsyncGenerator<ChatCompletionChunk> {
  const object = "chat.completion.chunk";
  const piece = (
    delta: ChatCompletionChunk["choices"][number]["delta"],
    finish_reason: FinishReason | null = null,
  ): ChatCompletionChunk => ({
    ...head,
    object,
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
    ...(includeUsage ? { usage: null } : {}),
  });
  const seen: EngineEvent[] = [];
  try {
    yield piece({ role: "assistant", content: "" });
    for await (const event of generation) {
      seen.push(event);
      const content = prefix.add(event);
      if (content !== "") yield piece({ content });
      if (event.type === "done") yield piece({}, reasonOf(event.outcome));
    }
    if (includeUsage) yield { ...head, object, choices: [], usage: usageOf(seen) };
  } finally {
    abort.abort();
  }
}

/** What is asked for; all else that a request holds is an error. */
function optionsOf(request: ChatCompletionRequest): GenerateOptions {
  if (!Array.isArray(request?.messages)) throw unsupported("a request without a list of messages");
  const unknown = Object.entries(request).filter(([name, value]) => {
    if (value === undefined || value === null) return false;
    return !KNOWN.has(name) || (name === "n" && value !== 1);
  });
  const [first] = unknown;
  if (first) throw unsupported(first[0]);
  const { messages, response_format, stream, stream_options, temperature, seed, steps } = request;
  if (stream_options) {
    if (!stream) throw unsupported("stream_options without stream");
    expectOptions("stream_options", stream_options, { include_usage: flag });
  }
  const { max_completion_tokens, max_tokens } = request;
  const length = max_completion_tokens ?? max_tokens;
  if (length !== (max_tokens ?? length))
    throw unsupported("max_tokens beside another max_completion_tokens");
  const { prompt, task } = promptOf(messages);
  const grammar = grammarOf(response_format);
  const decoding = request.decoding ?? {};
  expectOptions("decoding", decoding, DECODING_HERE);
  return {
    ...decoding,
    prompt,
    grammar: grammar ?? { regex: "" },
    unconstrained: grammar === undefined,
    ...(task === undefined ? {} : { task }),
    ...given("length", length),
    ...given("temperature", temperature),
    ...given("topP", request.top_p),
    ...given("seed", seed),
    ...(steps === undefined ? {} : { steps }),
  };
}

/** An option, if it is given; what it must be, the engine knows. */
function given<Name extends string>(
  name: Name,
  value: number | null | undefined,
): { readonly [Key in Name]?: number } {
  return value === undefined || value === null
    ? {}
    : ({ [name]: value } as { [Key in Name]: number });
}

const KNOWN = new Set<string>([
  "model",
  "messages",
  "response_format",
  "max_completion_tokens",
  "max_tokens",
  "temperature",
  "top_p",
  "seed",
  "n",
  "stream",
  "stream_options",
  "steps",
  "decoding",
] satisfies (keyof ChatCompletionRequest)[]);

const MESSAGE: Rules = { role: anything, content: anything };

function promptOf(messages: readonly ChatMessage[]): { prompt: string; task: string | undefined } {
  if (!messages.every((message) => typeof message === "object" && message !== null))
    throw unsupported("a message that is no object");
  for (const message of messages) expectOptions("A message", message, MESSAGE);
  const users = messages.filter(({ role }) => role === "user");
  const others = messages.filter(({ role }) => role === "system" || role === "developer");
  const [user] = users;
  if (!user || users.length > 1 || users.length + others.length < messages.length) {
    throw unsupported("a conversation: the model answers one message of the user");
  }
  const task = others.map(textOf).join("\n");
  return { prompt: textOf(user), task: task === "" ? undefined : task };
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content))
    throw unsupported("a message whose content is neither text nor parts");
  return content
    .map((part) => {
      if (part?.type === "text") return part.text;
      throw unsupported(`a part of the kind ${(part as { type?: string } | null)?.type}`);
    })
    .join("\n");
}

/** With another method the answer would not be of its format. */
const { method: _, ...DECODING_HERE } = DECODING;

/** What each kind of format has. */
const FORMATS: Readonly<Record<ResponseFormat["type"], Rules>> = {
  text: {},
  json_object: {},
  json_schema: { json_schema: anything },
  grammar: {
    grammar: (_, value) => {
      readGrammar(value as GrammarInput);
    },
  },
};

const JSON_SCHEMA: Rules = {
  name: anything,
  schema: anything,
  strict: anything,
  description: anything,
};

/** The grammar of a format; `undefined` where it is not constrained. */
function grammarOf(format: ResponseFormat | null | undefined): GrammarInput | undefined {
  if (format === undefined || format === null) return undefined;
  const { type } = format;
  if (!Object.hasOwn(FORMATS, type)) throw unsupported(`response_format ${type ?? shown(format)}`);
  const rules = FORMATS[type];
  expectOptions(
    `response_format ${type}`,
    format,
    { type: anything, ...rules },
    Object.keys(rules),
  );
  switch (format.type) {
    case "text":
      return undefined;
    case "json_object":
      return { jsonSchema: { type: "object" } };
    case "json_schema":
      expectOptions("json_schema", format.json_schema, JSON_SCHEMA);
      if (!format.json_schema.schema) throw unsupported("json_schema without a schema");
      return { jsonSchema: format.json_schema.schema };
    case "grammar":
      return format.grammar;
  }
}

const unsupported = (what: string): LacunaError =>
  new LacunaError({ kind: FAULT.invalid, message: `Not supported: ${what}.` });

const reasonOf = (outcome: Outcome): FinishReason => (outcome === "unfinished" ? "length" : "stop");

function usageOf(events: readonly EngineEvent[]): Usage {
  const { prompt: prompt_tokens = 0, written: completion_tokens } = tokenCounts(events);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
