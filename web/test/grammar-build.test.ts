import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import * as engine from "../pkg/grammar/lacuna_wasm.js";

const { Grammar } = engine;

const bytes = () => readFileSync(new URL("../pkg/grammar/lacuna_wasm_bg.wasm", import.meta.url));

beforeAll(async () => {
  await engine.default({ module_or_path: bytes() });
});

/** Another instance, with a cache of its own. */
async function freshModule(): Promise<typeof engine> {
  vi.resetModules();
  const module = await import("../pkg/grammar/lacuna_wasm.js");
  await module.default({ module_or_path: bytes() });
  return module;
}

describe("the grammar engine alone", () => {
  it("says whether a text with gaps can be completed, and how", () => {
    const schema = '{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}';
    const grammar = Grammar.compile("jsonSchema", schema, {});
    expect(grammar.check(['{"a":', null])).toMatchObject({ completable: true });
    const { witness } = grammar.check(['{"a":', null]) as { witness: string };
    expect(JSON.parse(witness)).toMatchObject({ a: expect.any(Number) });
    expect(grammar.check(['{"a":"', null])).toMatchObject({ completable: false });
    grammar.free();
  });

  it("binds strings to the texts it is given", () => {
    const schema = '{"type":"string","x-spanOf":"request"}';
    const texts = { request: "rain in Oslo today" };
    const grammar = Grammar.compile("jsonSchema", schema, { texts });
    expect(grammar.check(['"in Oslo"'])).toMatchObject({ completable: true });
    expect(grammar.check(['"in Paris"'])).toMatchObject({ completable: false });
  });

  it("hands over what it compiled, and takes it back or compiles again", async () => {
    const sql = readFileSync(new URL("../../grammars/sql.lark", import.meta.url), "utf8");
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

  it("throws what is wrong with a grammar, with its place, as data", () => {
    const compile = () => Grammar.compile("jsonSchema", '{"type":"array","uniqueItems":true}', {});
    expect(compile).toThrow();
    try {
      compile();
    } catch (fault) {
      expect(fault).toMatchObject({
        kind: "grammar",
        diagnostics: [{ pointer: expect.stringContaining("uniqueItems"), severity: "error" }],
      });
    }
  });
});
