/** Starting the engine's worker, from wherever its file is. */

import { resolveUrl } from "../base-url.ts";
import { FAULT, LacunaError } from "../fault.ts";
import type { WorkerLike } from "./connection.ts";
import type { EngineOptions } from "./engine.ts";

/** Starts a worker; throws a fault where there can be none. */
export function startWorker(options: EngineOptions): WorkerLike {
  if (!options.worker && typeof Worker === "undefined") {
    const message = "There are no workers here: the engine runs in browsers.";
    throw new LacunaError({ kind: FAULT.unavailable, message });
  }
  try {
    return started(options);
  } catch (error) {
    // Some browsers throw where a policy forbids it, others tell of it later.
    const why = error instanceof Error ? error.message : String(error);
    const message = `The engine's worker could not be started: ${why}`;
    throw new LacunaError({ kind: FAULT.worker, message }, { cause: error });
  }
}

function started({ worker, workerUrl }: EngineOptions): WorkerLike {
  if (worker) return worker() as WorkerLike;
  if (workerUrl !== undefined) return startFrom(resolveUrl(workerUrl));
  // Written out in one piece, which is what bundlers look for.
  return new Worker(new URL("../worker/start.js", import.meta.url), {
    type: "module",
    name: "lacuna",
  }) as WorkerLike;
}

function startFrom(url: URL): WorkerLike {
  const options = { type: "module", name: "lacuna" } as const;
  if (url.origin === location.origin) return new Worker(url, options) as WorkerLike;
  // A worker's file has to be the page's own, but may import from anywhere.
  const start = new Blob([`import ${JSON.stringify(url.href)};`], { type: "text/javascript" });
  const address = URL.createObjectURL(start);
  try {
    return new Worker(address, options) as WorkerLike;
  } finally {
    // The worker has begun to fetch it by the time that this runs.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }
}
