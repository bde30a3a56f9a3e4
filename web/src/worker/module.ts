/**
 * The engine's module: the build with threads where the page may share memory and
 * that build was made, else the one without. Both are the same to their callers.
 */

import { threadedModule } from "./threads.module.ts";
import { canShareMemory, startHelpers } from "./threads.ts";

/** The generated bindings. */
export type EngineModule = typeof import("../../pkg/full/lacuna_wasm.js");

/** Loads and instantiates one of the two builds. */
export async function loadModule(): Promise<EngineModule> {
  return (await loadThreaded()) ?? (await loadPlain());
}

async function loadPlain(): Promise<EngineModule> {
  const bindings = await import("../../pkg/full/lacuna_wasm.js");
  await bindings.default();
  return bindings;
}

/** `undefined` where there is no such build, or it cannot be had here. */
async function loadThreaded(): Promise<EngineModule | undefined> {
  if (!canShareMemory()) return undefined;
  const bindings = await threadedModule<EngineModule & ThreadedBindings>();
  // A glob and not an import: it is empty, not an error, where there is no file.
  const addresses = import.meta.glob<string>("../../pkg/threads/lacuna_wasm_bg.wasm", {
    query: "?url",
    import: "default",
  });
  const [address] = Object.values(addresses);
  if (!bindings || !address) return undefined;
  try {
    const module = await WebAssembly.compileStreaming(fetch(await address()));
    const { memory } = await bindings.default({ module_or_path: module });
    startHelpers(module, memory as WebAssembly.Memory);
    return bindings;
  } catch (error) {
    // Shared memory is reserved at its largest: a small machine may refuse that.
    console.warn("The build with threads cannot be used:", error);
    return undefined;
  }
}

interface ThreadedBindings {
  initSync(options: { module: WebAssembly.Module; memory: WebAssembly.Memory }): unknown;
  serveThreads(): void;
}
