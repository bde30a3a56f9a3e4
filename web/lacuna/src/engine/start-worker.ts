/** Starting the engine's worker, from wherever its file is. */

import { resolveUrl } from "../base-url.ts";
import type { WorkerLike } from "./connection.ts";
import type { EngineOptions } from "./engine.ts";

/** Starts a worker. */
export function startWorker({ worker, workerUrl }: EngineOptions): WorkerLike {
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
