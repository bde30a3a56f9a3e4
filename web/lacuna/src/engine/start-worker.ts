/** Starting the engine's worker, from wherever its file is. */

import { resolveUrl } from "../base-url.ts";
import { FAULT, invalid, LacunaError } from "../fault.ts";
import { shown } from "../options.ts";
import type { WorkerLike } from "./connection.ts";
import type { EngineOptions } from "./engine.ts";

/** Throws a fault where there can be no worker. */
export function expectWorkers({ worker }: EngineOptions): void {
  if (worker || typeof Worker !== "undefined") return;
  const message = "There are no workers here: the engine runs in browsers.";
  throw new LacunaError({ kind: FAULT.unavailable, message });
}

/** Starts a worker; throws a fault where there can be none. */
export function startWorker(options: EngineOptions): WorkerLike {
  expectWorkers(options);
  try {
    return started(options);
  } catch (error) {
    if (error instanceof LacunaError) throw error;
    // Some browsers throw where a policy forbids it, others tell of it later.
    const why = error instanceof Error ? error.message : String(error);
    const message = `The engine's worker could not be started: ${why}`;
    throw new LacunaError({ kind: FAULT.worker, message }, { cause: error });
  }
}

function started({ worker, workerUrl }: EngineOptions): WorkerLike {
  if (worker) return expectWorker(worker());
  if (workerUrl !== undefined) return startFrom(resolveUrl(workerUrl));
  // Written out in one piece, which is what bundlers look for.
  return new Worker(new URL("../worker/start.js", import.meta.url), {
    type: "module",
    name: "lacuna",
  }) as WorkerLike;
}

function expectWorker(made: unknown): WorkerLike {
  const { postMessage, terminate } = (made ?? {}) as Partial<WorkerLike>;
  if (typeof postMessage === "function" && typeof terminate === "function")
    return made as WorkerLike;
  const what = made instanceof Promise ? "a Promise" : shown(made);
  throw invalid(`worker gives ${what}: it must give a Worker, at once`);
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
