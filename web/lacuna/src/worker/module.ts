/**
 * The engine's module: the build with threads where the page may share memory and
 * that build was made, else the one without. Both are the same to their callers.
 */

import type { Configuration } from "./protocol.ts";
import { canShareMemory, startHelpers } from "./threads.ts";
import { threadedModule } from "./threads-module.ts";

/** The generated bindings. */
export type EngineModule = typeof import("../../wasm/full/lacuna_wasm.js");

/** A model's weights in the module's memory. */
export type WeightFiles = InstanceType<EngineModule["WeightFiles"]>;

/** A module that was loaded. */
export interface LoadedModule {
  readonly bindings: EngineModule;
  /** Settles when its helpers are there, or are not waited for any longer. */
  readonly helped: Promise<void>;
}

/** Loads and instantiates one of the two builds. */
export async function loadModule(configuration: Configuration): Promise<LoadedModule> {
  return (await loadThreaded(configuration)) ?? (await loadPlain(configuration));
}

async function loadPlain({ wasmUrl }: Configuration): Promise<LoadedModule> {
  const bindings = await import("../../wasm/full/lacuna_wasm.js");
  const beside = new URL("../../wasm/full/lacuna_wasm_bg.wasm", import.meta.url);
  await bindings.default({ module_or_path: wasmUrl ?? beside });
  return { bindings, helped: Promise.resolve() };
}

/** `undefined` where there is no such build, or it cannot be had here. */
async function loadThreaded({
  wasmUrl,
  threads = true,
}: Configuration): Promise<LoadedModule | undefined> {
  // Whoever says where the module is says so of the one without threads.
  if (!threads || wasmUrl !== undefined || !canShareMemory()) return undefined;
  try {
    const bindings = await threadedModule();
    if (!bindings) return undefined;
    const address = new URL("../../wasm/threads/lacuna_wasm_bg.wasm", import.meta.url);
    const module = await WebAssembly.compileStreaming(fetch(address));
    const { memory } = await bindings.default({ module_or_path: module });
    const { ready } = startHelpers(module, memory as WebAssembly.Memory);
    return { bindings: bindings as unknown as EngineModule, helped: ready };
  } catch (error) {
    // Shared memory is reserved at its largest: a small machine may refuse that.
    console.warn("The build with threads cannot be used:", error);
    return undefined;
  }
}
