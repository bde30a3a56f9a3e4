/** A thread of the engine's build for measurements. */

import type { HelperStart } from "../lacuna/src/worker/threads.ts";
import { threadedBindings } from "./engine.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data }: MessageEvent<HelperStart>) => {
  const bindings = await threadedBindings();
  bindings?.initSync(data);
  bindings?.serveThreads();
};
