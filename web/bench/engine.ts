/** The engine's build for measurements, with threads or without. */

import { startHelpers } from "../lacuna/src/worker/threads.ts";
import init, * as plain from "./pkg/bench/lacuna_wasm.js";

/** The bindings that both builds have. */
export type Bindings = Pick<typeof plain, "BenchModel" | "measureGpu" | "verifyKernels">;

/** The build `bench-threads`, as far as it differs. */
export interface ThreadedBindings extends Bindings {
  default(options: { module_or_path: WebAssembly.Module }): Promise<{ memory: WebAssembly.Memory }>;
  initSync(options: { module: WebAssembly.Module; memory: WebAssembly.Memory }): unknown;
  serveThreads(): void;
}

/** Its bindings; none where that build was left out. */
export async function threadedBindings(): Promise<ThreadedBindings | undefined> {
  // A glob and not an import: it is empty, not an error, where there is no file.
  const found = import.meta.glob<ThreadedBindings>("./pkg/bench-threads/lacuna_wasm.js");
  const [load] = Object.values(found);
  return await load?.();
}

/** The engine for so many threads; fails where there is no build or no memory to share. */
export async function engineFor(threads: number): Promise<Bindings> {
  if (threads === 1) {
    await init();
    return plain;
  }
  const bindings = await threadedBindings();
  const files = import.meta.glob<string>("./pkg/bench-threads/lacuna_wasm_bg.wasm", {
    query: "?url",
    import: "default",
    eager: true,
  });
  const [address] = Object.values(files);
  if (!bindings || !address) throw new Error("the engine was built without threads");
  const module = await WebAssembly.compileStreaming(fetch(address));
  const { memory } = await bindings.default({ module_or_path: module });
  const create = () =>
    new Worker(new URL("./thread.worker.ts", import.meta.url), { type: "module" });
  startHelpers(module, memory, threads - 1, create);
  return bindings;
}
