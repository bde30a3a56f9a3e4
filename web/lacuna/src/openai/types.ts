/** The part of OpenAI's chat completions that is answered here. */

import type { DecodingOptions } from "../decoding.ts";

/** A message: one of the user, perhaps with one of the system before it. */
export interface ChatMessage {
  readonly role: "system" | "developer" | "user";
  readonly content: string | readonly { readonly type: "text"; readonly text: string }[];
}

/** What the answer has to look like. The last kind is Lacuna's own. */
export type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly json_schema: {
        readonly name: string;
        readonly schema: object;
        readonly strict?: boolean | null;
        readonly description?: string;
      };
    }
  | {
      readonly type: "grammar";
      readonly grammar:
        | { readonly gbnf: string }
        | { readonly lark: string }
        | { readonly regex: string };
    };

/** A request. */
export interface ChatCompletionRequest {
  /** Any name: the engine has one model. */
  readonly model?: string;
  readonly messages: readonly ChatMessage[];
  readonly response_format?: ResponseFormat;
  /** Cells of the canvas. */
  readonly max_completion_tokens?: number | null;
  /** The older name of the same. */
  readonly max_tokens?: number | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly seed?: number | null;
  readonly n?: 1 | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  /** Denoising steps; Lacuna's own. */
  readonly steps?: number;
  /** How to decode otherwise; Lacuna's own. */
  readonly decoding?: Omit<DecodingOptions, "method">;
}

/** A request whose answer comes in pieces. */
export type StreamingRequest = ChatCompletionRequest & { readonly stream: true };

/** Why an answer ended. */
export type FinishReason = "stop" | "length";

/** How many tokens came and went. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** An answer. */
export interface ChatCompletion {
  readonly id: string;
  readonly object: "chat.completion";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly [
    {
      readonly index: 0;
      readonly message: {
        readonly role: "assistant";
        readonly content: string;
        readonly refusal: null;
      };
      readonly finish_reason: FinishReason;
      readonly logprobs: null;
    },
  ];
  readonly usage: Usage;
}

/** A piece of an answer. */
export interface ChatCompletionChunk {
  readonly id: string;
  readonly object: "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: 0;
    readonly delta: { readonly role?: "assistant"; readonly content?: string };
    readonly finish_reason: FinishReason | null;
    readonly logprobs: null;
  }[];
  readonly usage?: Usage | null;
}
