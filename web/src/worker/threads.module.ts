/** The build `threads` of the module, where there is one. */

/** The generated bindings of the build `threads`, as far as helpers need them. */
export interface ThreadedModule {
  initSync(options: { module: WebAssembly.Module; memory: WebAssembly.Memory }): unknown;
  /** Joins the threads of the module's memory; does not return. */
  serveThreads(): void;
}

/**
 * Its bindings, of the shape that the caller names, or `undefined` where that
 * build was left out.
 */
export async function threadedModule<T extends ThreadedModule>(): Promise<T | undefined> {
  // A glob and not an import: it is empty, not an error, where there is no file.
  const found = import.meta.glob<ThreadedModule>("../../pkg/threads/lacuna_wasm.js");
  const [load] = Object.values(found);
  return (await load?.()) as T | undefined;
}
