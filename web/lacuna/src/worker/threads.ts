/**
 * Threads for the forward pass on the CPU.
 *
 * Where the page is cross-origin isolated, the engine's worker takes the build
 * `threads` of the module, whose memory several instances can share, and starts
 * helpers: workers that instantiate the same module over the same memory, enter
 * `serveThreads` and wait there for their part of a pass, asleep between passes.
 * They load nothing else, hear nothing else, and end with the worker that made
 * them, or with {@link Helpers.stop}.
 *
 * What is computed does not depend on the number of helpers, down to the last
 * bit, so a helper that cannot be started is only missed in the time taken.
 *
 * In the engine's worker, `address` being that of the module's file:
 *
 *     const bindings = canShareMemory() ? await threadedModule() : undefined;
 *     if (bindings) {
 *       const module = await WebAssembly.compileStreaming(fetch(address));
 *       const { memory } = await bindings.default({ module_or_path: module });
 *       const helpers = startHelpers(module, memory);
 *       await helpers.ready;
 *     }
 */

/** What a helper is sent, once. */
export interface HelperStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
}

/** Helpers that were started. */
export interface Helpers {
  /** How many. */
  readonly count: number;
  /** Settles when all of them serve, or after a second: what they add is known by then. */
  readonly ready: Promise<void>;
  /** Ends them; the module must not be in use. */
  stop(): void;
}

/** The part of a `Worker` that is used here. */
export interface HelperLike {
  postMessage(message: HelperStart): void;
  terminate(): void;
  /** Called when it begins to serve. */
  onmessage: ((event: MessageEvent) => void) | null;
}

// More do not help any model that runs on a CPU.
const MOST = 15;

/** Milliseconds in which helpers are waited for. */
const PATIENCE = 1_000;

/** Whether this page may share memory among its workers. */
export function canShareMemory(scope: { crossOriginIsolated?: boolean } = globalThis): boolean {
  return scope.crossOriginIsolated === true && typeof SharedArrayBuffer === "function";
}

/** Helpers for this many processors: one is for whoever asks for the work. */
export function helpersFor(processors: number | undefined): number {
  return Math.max(0, Math.min((processors ?? 1) - 1, MOST));
}

/**
 * Starts helpers of a module, as many as the machine has further processors.
 * The calling worker must already have instantiated the module over `memory`.
 */
export function startHelpers(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  count = helpersFor(navigator.hardwareConcurrency),
  create: () => HelperLike = createHelper,
): Helpers {
  const helpers = Array.from({ length: count }, create);
  const serving = helpers.map(
    (helper) =>
      new Promise<void>((resolve) => {
        helper.onmessage = () => resolve();
        helper.postMessage({ module, memory });
      }),
  );
  return {
    count,
    ready: within(PATIENCE, Promise.all(serving)),
    stop: () => {
      for (const helper of helpers.splice(0)) helper.terminate();
    },
  };
}

/** Waits for something, but not for longer than this. */
function within(milliseconds: number, awaited: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return Promise.race([awaited, enough]).then(() => clearTimeout(timer));
}

function createHelper(): HelperLike {
  return new Worker(new URL("./threads-helper.js", import.meta.url), {
    type: "module",
    name: "lacuna-thread",
  });
}
