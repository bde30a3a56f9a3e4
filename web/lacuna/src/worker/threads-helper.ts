/** A helper: see `threads.ts`. A worker of its own. */

import type { HelperStart } from "./threads.ts";
import { threadedModule } from "./threads-module.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data }: MessageEvent<HelperStart>) => {
  const bindings = await threadedModule();
  if (!bindings) return;
  bindings.initSync(data);
  // It does not return, and what is posted is sent all the same.
  scope.postMessage(null);
  try {
    bindings.serveThreads();
  } catch (error) {
    // Whoever waits for this helper is blocked, and hears of it through the memory alone.
    bindings.loseThread();
    throw error;
  }
};
