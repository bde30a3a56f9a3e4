/**
 * The engine's worker: model, checker and decoder in one thread that is not the
 * page's. What it says and hears is in `protocol.ts`; what it does, in
 * `server.ts`.
 */

import type { GenerateRequest, GrammarInfo } from "../engine.ts";
import { EngineError } from "./fault.ts";
import { fetchModel } from "./fetch.ts";
import { GrammarStore } from "./grammar-store.ts";
import { withKept } from "./kept-grammars.ts";
import { type EngineModule, loadModule } from "./module.ts";
import type { ToWorker } from "./protocol.ts";
import { EngineServer, type LoadedEngine, type ServedEngine } from "./server.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;

// Once for all calls; a failure is every call's failure.
const ready = loadModule();
ready.catch(() => {});

const store = new GrammarStore("caches" in scope ? scope.caches : undefined);

const turn = new MessageChannel();

const server = new EngineServer({
  fetchModel,
  async loadEngine({ config, tokenizer, weights }, device) {
    const module = await ready;
    const engine = await module.Engine.load(config, tokenizer, weights, { device });
    return keeping(module, engine as LoadedEngine);
  },
  async compile({ grammar, texts }) {
    const module = await ready;
    const call = [grammar.kind, grammar.text, { texts, writing: true }] as const;
    const key = module.Grammar.key(...call);
    const compiled = await withKept(module, store, key, () => module.Grammar.compile(...call));
    try {
      return compiled.info() as GrammarInfo;
    } finally {
      compiled.free();
    }
  },
  post: (message) => scope.postMessage(message),
  // A turn of the message queue, without a timer's least delay.
  yieldToMessages: () =>
    new Promise((resolve) => {
      turn.port1.onmessage = () => resolve();
      turn.port2.postMessage(null);
    }),
});

scope.onmessage = ({ data }: MessageEvent<ToWorker>) => server.receive(data);

/** An engine whose grammars are looked for in the browser's storage. */
function keeping(module: EngineModule, engine: LoadedEngine): ServedEngine {
  let freed = false;
  const start = (request: GenerateRequest) => {
    // While the storage was looked into, another model may have been loaded.
    if (freed) throw new EngineError({ kind: "not-loaded", message: "The model was replaced." });
    return engine.start(request);
  };
  return {
    info: () => engine.info(),
    start: async (request) =>
      request.unconstrained
        ? start(request)
        : withKept(module, store, engine.grammarKey(request), () => start(request)),
    free() {
      freed = true;
      engine.free();
    },
  };
}
