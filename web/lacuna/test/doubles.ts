/** Test doubles: a worker without a thread, an engine without a model, storage in memory. */

import type { WorkerLike } from "../src/engine/connection.ts";
import type { DoneEvent, EngineEvent } from "../src/events.ts";
import type { GrammarInfo } from "../src/grammar/source.ts";
import type { FoundFiles, ModelInfo } from "../src/model.ts";
import type { FromWorker, GenerateRequest, OfCall, ToWorker } from "../src/worker/protocol.ts";
import { EngineServer, type ServedEngine, type Surroundings } from "../src/worker/server.ts";

type Message = Extract<ToWorker, { readonly id: number }>;

/** A worker that notes what it is sent, and says what the test makes it say. */
export class FakeWorker implements WorkerLike {
  /** Calls and cancellations, in order. */
  readonly sent: Message[] = [];
  readonly configured: ToWorker[] = [];
  terminated = false;
  onerror: WorkerLike["onerror"] = null;
  onmessageerror: WorkerLike["onmessageerror"] = null;

  readonly #serves: boolean;
  #hearer: WorkerLike["onmessage"] = null;

  /** It serves as soon as it is heard, unless the test is to say when. */
  constructor(serves = true) {
    this.#serves = serves;
  }

  get onmessage(): WorkerLike["onmessage"] {
    return this.#hearer;
  }

  set onmessage(hearer) {
    this.#hearer = hearer;
    if (this.#serves) queueMicrotask(() => this.say({ type: "ready" }));
  }

  postMessage(message: ToWorker): void {
    if (message.type === "configure") this.configured.push(message);
    else this.sent.push(message);
  }

  terminate(): void {
    this.terminated = true;
  }

  /** The number of the last call of a type; waits until there is one that was not asked for. */
  async next<Type extends Message["type"]>(type: Type, nth = 1): Promise<number> {
    const found = () => this.sent.filter((message) => message.type === type)[nth - 1];
    await until(() => found() !== undefined);
    return found()?.id ?? Number.NaN;
  }

  /** Says something to the page. */
  say(data: FromWorker): void {
    this.onmessage?.({ data } as MessageEvent<FromWorker>);
  }

  /** Dies as a worker does whose script throws. */
  crash(message: string): void {
    this.onerror?.({ message } as ErrorEvent);
  }
}

export const info: ModelInfo = {
  parameters: 1,
  vocabulary: 2,
  layers: 3,
  hidden: 4,
  maxPositions: 5,
  device: { device: "cpu", threads: 1, why: "as asked for" },
};

/** Files that nobody fetches. */
export const files: FoundFiles = {
  config: { url: "http://localhost/config.json" },
  tokenizer: { url: "http://localhost/tokenizer.json" },
  weights: [{ url: "http://localhost/model.safetensors" }],
};

export const request: GenerateRequest = {
  request: "say hello",
  grammar: { kind: "regex", text: "hello" },
  length: 4,
  steps: 3,
  seed: 1,
  decoding: {},
};

/** A run's step, and its end with a text. */
export const step = (number: number): EngineEvent => ({
  type: "step",
  step: number,
  steps: 3,
  masked: 1,
});

export const done = (text: string): DoneEvent => ({
  type: "done",
  text,
  outcome: "complete",
  steps: 3,
  timings: {
    ...{ modelMs: 1, checkerMs: 1, selectionMs: 0, masksMs: 0, recoveryMs: 0, besideMs: 0 },
    ...{ checks: 1, agreed: 0, refusals: 0, batches: 0, batchesTried: 0, batchTokens: 0 },
    recovered: 0,
  },
});

/** A token written into a cell. */
export const commit = (cell: number, text: string | Uint8Array, end = false): EngineEvent => ({
  type: "commit",
  step: 0,
  cell,
  token: 1,
  bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
  probability: 0.5,
  how: "model",
  end,
});

/** An engine whose runs take `steps` steps; `onStep` may throw. */
export function fakeEngine(
  onStep: (step: number) => void = () => {},
): ServedEngine & { freed: number } {
  return {
    freed: 0,
    info: () => info,
    free() {},
    async start({ steps }) {
      let step = 0;
      const engine = this;
      return {
        get done() {
          return step >= steps;
        },
        async step(): Promise<EngineEvent[]> {
          step += 1;
          onStep(step);
          return [{ type: "step", step, steps, masked: steps - step }];
        },
        free() {
          engine.freed += 1;
        },
      };
    },
  };
}

/** What a grammar with so many rules tells of itself. */
export function grammarInfo(rules: number): GrammarInfo {
  const counts = { rules, terminals: 0, nonterminals: 0, productions: 0, lexerStates: 0 };
  return { ...counts, warnings: [], origin: "compiled" };
}

/** A server on a fake engine, and all that it posts. */
export function fakeServer(engine: ServedEngine, changes: Partial<Surroundings> = {}) {
  const posted: OfCall[] = [];
  const empty = new Uint8Array();
  const server = new EngineServer({
    configure: () => {},
    fetchModel: async () => ({ config: empty, tokenizer: empty, weights: { free() {} } }),
    loadEngine: async () => engine,
    compile: async () => grammarInfo(0),
    post: (message) => posted.push(message),
    yieldToMessages: () => new Promise((resolve) => setTimeout(resolve)),
    ...changes,
  });
  return { server, posted };
}

/** The browser's storage, in memory, with room for so many bytes. */
export function fakeCaches(room = Number.POSITIVE_INFINITY): CacheStorage {
  const kept = new Map<string, { body: Uint8Array; headers: Headers }>();
  const cache = {
    async match(address: string) {
      const found = kept.get(address);
      return found && new Response(found.body.slice(), { headers: found.headers });
    },
    async put(address: string, response: Response) {
      const body = new Uint8Array(await response.arrayBuffer());
      const taken = [...kept.values()].reduce((sum, { body }) => sum + body.length, 0);
      if (taken + body.length > room) throw new DOMException("no room", "QuotaExceededError");
      kept.set(address, { body, headers: response.headers });
    },
    delete: async (address: string) => kept.delete(address),
    keys: async () => [...kept.keys()],
  };
  return {
    open: async () => cache,
    delete: async () => kept.clear(),
  } as unknown as CacheStorage;
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  if (!condition()) throw new Error("it never came to that");
}
