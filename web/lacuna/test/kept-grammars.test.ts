/** What the engine's module compiles, handed over to be kept and taken back. */

import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import type * as engine from "../wasm/full/lacuna_wasm.js";

const bytes = () => readFileSync(new URL("../wasm/full/lacuna_wasm_bg.wasm", import.meta.url));

/** Another instance, with a cache of its own. */
async function freshModule(): Promise<typeof engine> {
  vi.resetModules();
  const module = await import("../wasm/full/lacuna_wasm.js");
  await module.default({ module_or_path: bytes() });
  return module;
}

describe("the engine", () => {
  it("hands over what it compiled, and takes it back or compiles again", async () => {
    const sql = readFileSync(new URL("../../../grammars/sql.lark", import.meta.url), "utf8");
    const origin = ({ Grammar }: typeof engine, maxDepth: number) => {
      const grammar = Grammar.compile("lark", sql, { maxDepth });
      const { origin } = grammar.info() as { origin: string };
      grammar.free();
      return origin;
    };
    const first = await freshModule();
    const key = first.Grammar.key("lark", sql, { maxDepth: 4 });
    expect(first.Grammar.key("lark", sql, { maxDepth: 3 })).not.toBe(key);
    expect(origin(first, 4)).toBe("compiled");
    expect(origin(first, 4)).toBe("memory");
    expect(first.holdsCompiled(key)).toBe(true);
    const [kept] = first.takeCompiled() as { key: string; entry: Uint8Array }[];
    if (!kept) throw new Error("nothing was handed over");
    expect(kept.key).toBe(key);

    const second = await freshModule();
    expect(second.holdsCompiled(key)).toBe(false);
    second.offerCompiled(key, kept.entry);
    expect(origin(second, 4)).toBe("storage");
    expect(second.takeCompiled()).toEqual([]);

    const third = await freshModule();
    const damaged = kept.entry.slice();
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
    third.offerCompiled(key, damaged);
    expect(origin(third, 4)).toBe("rebuilt");
    expect(third.cacheStatistics()).toMatchObject({ storageHits: 0, rebuilds: 1 });
    expect(third.takeCompiled()).toEqual([kept]);
  });
});
