/** The build `threads` of the module, where there is one. */

/** The generated bindings of the build `threads`. */
export type ThreadedModule = typeof import("../../wasm/threads/lacuna_wasm.js");

/** Its bindings, or `undefined` where that build was left out. */
export async function threadedModule(): Promise<ThreadedModule | undefined> {
  const bindings = await import("../../wasm/threads/lacuna_wasm.js");
  return (bindings.default as unknown) === undefined ? undefined : bindings;
}
