/**
 * The engine's worker: model, checker and decoder in one thread that is not the
 * page's. What it says and hears is in `protocol.ts`; what it does, in
 * `server.ts`.
 */

import type { GrammarInfo } from "../engine.ts";
import { fetchModel } from "./fetch.ts";
import { loadModule } from "./module.ts";
import type { ToWorker } from "./protocol.ts";
import { EngineServer, type LoadedEngine } from "./server.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;

// Once for all calls; a failure is every call's failure.
const ready = loadModule();
ready.catch(() => {});

const turn = new MessageChannel();

const server = new EngineServer({
  fetchModel,
  async loadEngine({ config, tokenizer, weights }, device) {
    const { Engine } = await ready;
    return (await Engine.load(config, tokenizer, weights, { device })) as LoadedEngine;
  },
  async compile({ grammar, texts }) {
    const { Grammar } = await ready;
    const compiled = Grammar.compile(grammar.kind, grammar.text, { texts, writing: true });
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
