/** Test doubles: a worker without a thread, an engine without a model. */

import type { EngineEvent, GenerateRequest, GrammarInfo, ModelInfo } from "../src/engine.ts";
import type { WorkerLike } from "../src/worker/client.ts";
import type { FromWorker, ToWorker } from "../src/worker/protocol.ts";
import { EngineServer, type ServedEngine, type Surroundings } from "../src/worker/server.ts";

/** A worker that notes what it is sent and says what the test makes it say. */
export class FakeWorker implements WorkerLike {
  readonly sent: ToWorker[] = [];
  terminated = false;
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;
  onmessageerror: WorkerLike["onmessageerror"] = null;

  postMessage(message: ToWorker): void {
    this.sent.push(message);
  }

  terminate(): void {
    this.terminated = true;
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

export const request: GenerateRequest = {
  request: "say hello",
  grammar: { kind: "regex", text: "hello" },
  length: 4,
  steps: 3,
  seed: 1,
  temperature: 0,
  unconstrained: false,
};

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
  const posted: FromWorker[] = [];
  const empty = new Uint8Array();
  const server = new EngineServer({
    fetchModel: async () => ({ config: empty, tokenizer: empty, weights: empty }),
    loadEngine: async () => engine,
    compile: async () => grammarInfo(0),
    post: (message) => posted.push(message),
    yieldToMessages: () => new Promise((resolve) => setTimeout(resolve)),
    ...changes,
  });
  return { server, posted };
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  if (!condition()) throw new Error("it never came to that");
}
