/**
 * The engine's cache of compiled grammars and the browser's storage behind it. The
 * engine does not wait, so what is stored is offered to it before a call, and what
 * it compiled is taken after.
 */

import type { EngineModule } from "./module.ts";

/** The part of the engine's module that hands entries over. */
export type EntryDoor = Pick<EngineModule, "holdsCompiled" | "offerCompiled" | "takeCompiled">;

/** Where entries are kept; {@link GrammarStore} in a browser. */
export interface EntryStore {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, entry: Uint8Array): Promise<void>;
}

/** Calls `work`, which compiles the grammar of this key unless it was compiled before. */
export async function withKept<Result>(
  door: EntryDoor,
  store: EntryStore,
  key: string,
  work: () => Result,
): Promise<Result> {
  if (!door.holdsCompiled(key)) {
    const entry = await store.get(key);
    if (entry) door.offerCompiled(key, entry);
  }
  const keep = () => {
    for (const { key, entry } of door.takeCompiled() as { key: string; entry: Uint8Array }[]) {
      void store.put(key, entry);
    }
  };
  // At once, so that nobody else takes the offer; and when it has compiled, if that comes later.
  const result = work();
  keep();
  if (!(result instanceof Promise)) return result;
  return result.finally(keep) as Result;
}
