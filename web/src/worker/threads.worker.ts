/** A helper: see `threads.ts`. */

import { threadedModule } from "./threads.module.ts";
import type { HelperStart } from "./threads.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data }: MessageEvent<HelperStart>) => {
  const bindings = await threadedModule();
  if (!bindings) return;
  bindings.initSync(data);
  bindings.serveThreads();
};
