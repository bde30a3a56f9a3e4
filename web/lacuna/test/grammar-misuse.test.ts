/** What the grammar door says of what makes no sense: an error of its own, never an answer. */

import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileGrammar, Vocabulary, validate } from "../src/grammar/index.ts";

const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

describe("what is handed over wrongly", () => {
  const tokens = ["a", "b", null, null];
  const refused = { name: "LacunaError", kind: "invalid-input" };
  const thrown = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };

  it.each([Number.NaN, 1.5, -1, 2 ** 32, "9", null, [9], true])(
    "a gap of %j cells",
    async (cells) => {
      const vocabulary = await Vocabulary.of({ tokens, ends: [2] });
      const grammar = await compileGrammar({ regex: "a+" }, { vocabulary });
      const gaps = [cells] as number[];
      expect(thrown(() => grammar.check([null], { gaps }))).toMatchObject(refused);
      expect(thrown(() => grammar.explain([null], { gaps }))).toMatchObject(refused);
      expect(grammar.canComplete([null], { gaps: [3] })).toBe(true);
    },
  );

  it.each([4, 1e9, 0.5, "1"])("token %j on a canvas", async (token) => {
    const vocabulary = await Vocabulary.of({ tokens, ends: [2], mask: 3 });
    const grammar = await compileGrammar({ regex: "a+" }, { vocabulary });
    expect(thrown(() => grammar.allowedTokens([token as number, null]))).toMatchObject(refused);
  });

  it.each([
    { tokens, ends: [Number.NaN] },
    { tokens, ends: ["1"] },
    { tokens, ends: [0.5] },
    { tokens, ends: [1], mask: Number.NaN },
    { tokens: 5, ends: [1] },
    {},
  ])("a vocabulary of %j", async (input) => {
    await expect(Vocabulary.of(input as never)).rejects.toMatchObject(refused);
  });

  it("a tokenizer that is none, or without an end", async () => {
    const tokenizer = file("models/lacuna-mini/tokenizer.json");
    for (const [text, config] of [
      ["{", { eos_token_id: 0 }],
      [null, { eos_token_id: 0 }],
      [tokenizer, {}],
      [tokenizer, { eos_token_id: "x" }],
    ]) {
      const made = Vocabulary.fromTokenizer(text as string, config as { eos_token_id: number });
      await expect(made).rejects.toMatchObject(refused);
    }
  });

  it("options that are no plain objects, or hold something else", async () => {
    const lark = 'start: "a" REQUEST\n%slot REQUEST';
    for (const options of [
      { texts: new Map([["REQUEST", "b"]]) },
      { texts: Object.create({ REQUEST: "b" }) },
      { lists: { REQUEST: new Set(["b"]) } },
      { vocabulary: {} },
    ]) {
      const compiled = compileGrammar({ lark }, options as never);
      await expect(compiled).rejects.toMatchObject({ name: "LacunaError" });
    }
    const compiled = await compileGrammar({ regex: "a" }, null as never);
    expect(compiled.witness()).toBe("a");
    expect(thrown(() => compiled.canComplete(null as never))).toMatchObject(refused);
  });

  it("signals that are none, and vocabularies of nothing", async () => {
    const regex = { regex: "a" };
    for (const call of [
      compileGrammar(regex, { signal: 1 } as never),
      validate(regex, { signal: 1 } as never),
      validate(regex, { maxDepth: -1 }),
      validate(regex, { text: {} } as never),
      validate({ regexp: "a" } as never),
      Vocabulary.of(undefined as never),
    ])
      await expect(call).rejects.toMatchObject(refused);
  });

  class Box {}
  it.each([
    [Promise.resolve({}), "", "Promise"],
    [new Map([["type", "string"]]), "", "Map"],
    [new Set(["a"]), "", "Set"],
    [new Box(), "", "Box"],
    [new (class {})(), "", "object"],
    [() => 1, "", "function"],
    [{ enum: ["a", new Map()] }, "/enum/1", "Map"],
    [{ enum: [undefined] }, "/enum/0", "undefined"],
    [{ properties: { "a/b": { c: () => 1 } } }, "/properties/a~1b/c", "function"],
    [{ properties: { a: z.string() } }, "/properties/a", "ZodString"],
    [{ const: Symbol("s") }, "/const", "symbol"],
    [{ const: 1n }, "/const", "bigint"],
    [{ minimum: Number.NaN }, "/minimum", "NaN"],
    [{ maximum: Number.POSITIVE_INFINITY }, "/maximum", "Infinity"],
  ])("a schema with %s in it, with its place", async (jsonSchema, pointer, what) => {
    const compiled = compileGrammar({ jsonSchema: jsonSchema as never });
    await expect(compiled).rejects.toMatchObject({
      ...refused,
      message: `The schema is no JSON at "${pointer}": ${what}.`,
    });
  });

  it("but schemas that are JSON, or say what they are as JSON, are taken", async () => {
    const half = { type: "string", const: "a" };
    const elsewhere = runInNewContext('({ const: "a", enum: ["a"] })');
    for (const jsonSchema of [
      elsewhere,
      Object.assign(Object.create(null), half),
      new Proxy(half, {}),
      { ...half, title: undefined },
      { toJSON: () => half },
      { anyOf: [half, half], default: new Date(0) },
      { anyOf: [{ toJSON: () => half }] },
    ]) {
      using grammar = await compileGrammar({ jsonSchema });
      expect(grammar.witness()).toBe('"a"');
    }
  });

  it("schemas that are no JSON", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.properties = { again: cyclic };
    for (const jsonSchema of [undefined, () => 1, cyclic, { const: 1n }]) {
      const compiled = compileGrammar({ jsonSchema: jsonSchema as never });
      await expect(compiled).rejects.toMatchObject(refused);
    }
  });
});
