/**
 * The engine's worker: model, checker and decoder in one thread that is not the
 * page's. What it says and hears is in `protocol.ts`; what it does, in `server.ts`.
 *
 * The engine starts `lacuna-lm/worker` itself. Who needs a worker of his own calls
 * {@link serve} in it, within a minute of its start, and hands it to `createEngine`:
 *
 * ```ts
 * // my-worker.ts
 * import { serve } from "lacuna-lm/worker";
 * serve();
 * ```
 *
 * @module
 */

import { browserCaches } from "../browser-caches.ts";
import { describeThrown, LacunaError, moduleFault, throwIfAborted } from "../fault.ts";
import type { GrammarInfo } from "../grammar/source.ts";
import { type Bytes, fetchModel } from "./download.ts";
import { GrammarStore } from "./grammar-store.ts";
import { withKept } from "./kept-grammars.ts";
import { ModelStore } from "./model-store.ts";
import { type EngineModule, type LoadedModule, loadModule, type WeightFiles } from "./module.ts";
import type { Configuration, FromWorker, GenerateRequest, Template, ToWorker } from "./protocol.ts";
import { EngineServer, type LoadedEngine, type ServedEngine, type Turn } from "./server.ts";

/** Serves the page that started this worker. */
export function serve(): void {
  const scope = self as unknown as DedicatedWorkerGlobalScope;
  const storage = browserCaches();
  const grammars = new GrammarStore(storage);
  const models = new ModelStore(storage);
  const turn = new MessageChannel();
  const turns: (() => void)[] = [];
  turn.port1.onmessage = () => turns.shift()?.();

  let configuration: Configuration = {};
  let loading: Promise<LoadedModule> | undefined;
  // Once for all calls; a failure is that of the calls which wait for it.
  const module = () => {
    loading ??= loadModule(configuration).catch((error: unknown) => {
      loading = undefined;
      throw moduleFault("The engine's module", error);
    });
    return loading;
  };

  const server = new EngineServer({
    configure(given) {
      configuration = given;
      // While the model's files are on their way; whoever waits for it learns of a failure.
      module().catch(() => {});
    },
    async fetchModel(files, onProgress, signal) {
      let taken: WeightFiles | undefined;
      const weights = async () => {
        const { bindings } = await module();
        taken ??= new bindings.WeightFiles();
        return taken;
      };
      try {
        const taker = {
          index: async (json: Bytes) => (await weights()).index(json),
          add: async (name: string, file: Bytes) => (await weights()).add(name, file),
        };
        const texts = await fetchModel(files, taker, { store: models, onProgress, signal });
        return { ...texts, weights: await weights() };
      } catch (error) {
        // After a trap the module must not be entered again.
        if (!describeThrown(error).fatal) taken?.free();
        throw error;
      }
    },
    async loadEngine({ config, tokenizer, weights }, device) {
      const { bindings, helped } = await module();
      // How many threads there are is told with the engine, and decides where it runs.
      await helped;
      const taken = weights as WeightFiles;
      const engine = await bindings.Engine.load(config, tokenizer, taken, { device });
      return keeping(bindings, grammars, engine as LoadedEngine);
    },
    async compile({ grammar, options }, signal) {
      const { bindings } = await module();
      const call = [grammar.kind, grammar.text, { ...options, writing: true }] as const;
      const key = bindings.Grammar.key(...call);
      const compiled = await withKept(bindings, grammars, key, () => {
        throwIfAborted(signal);
        return bindings.Grammar.compile(...call);
      });
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
        turns.push(resolve);
        turn.port2.postMessage(null);
      }),
  });
  scope.addEventListener("error", (event) => {
    if (server.broke(event.error)) event.preventDefault();
  });
  scope.addEventListener("unhandledrejection", (event) => {
    if (server.broke(event.reason)) event.preventDefault();
  });
  scope.onmessage = ({ data }: MessageEvent<ToWorker>) => server.receive(data);
  scope.postMessage({ type: "ready" } satisfies FromWorker);
}

/** An engine whose grammars are looked for in the browser's storage. */
function keeping(module: EngineModule, store: GrammarStore, engine: LoadedEngine): ServedEngine {
  let freed = false;
  const begin = (request: GenerateRequest, template: Template | undefined, turn: Turn) => {
    // While the storage was looked into, another model may have been loaded.
    if (freed) throw new LacunaError({ kind: "not-loaded", message: "The model was replaced." });
    return template ? engine.startInfill(request, template, turn) : engine.start(request, turn);
  };
  return {
    info: () => engine.info(),
    start: async (request, template, turn) => {
      const start = () => begin(request, template, turn);
      // Only our checker's grammars are compiled into something that is kept.
      if ((request.decoding.method ?? "lacuna") !== "lacuna") return start();
      return withKept(module, store, engine.grammarKey(request), start);
    },
    free() {
      freed = true;
      engine.free();
    },
  };
}
