/** Validators as grammars: what they are asked, and what they make of what was written. */

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Engine } from "../src/engine/engine.ts";
import { compileGrammar } from "../src/grammar/index.ts";
import type { GrammarInput } from "../src/grammar/source.ts";
import type { StandardSchema } from "../src/grammar/standard-schema.ts";
import { done, FakeWorker, files, info, until } from "./doubles.ts";

/** What an engine makes of a text that its worker wrote, and what the worker was asked. */
async function written(grammar: GrammarInput, text: string) {
  const worker = new FakeWorker();
  const engine = new Engine({ model: files }, () => worker);
  const { result } = engine.generate({ prompt: "hello", grammar });
  await until(() => worker.sent.length > 0);
  worker.say({ type: "loaded", id: await worker.next("load"), info });
  const id = await worker.next("generate");
  const { request } = worker.sent.at(-1) as { request: { grammar: unknown } };
  worker.say({ type: "events", id, events: [done(text)] });
  worker.say({ type: "finished", id });
  return { request, result };
}

/** A validator of another maker, that takes words and gives their lengths. */
const lengths = {
  version: 1,
  vendor: "another",
  validate: (value: unknown) =>
    typeof value === "string" && value !== "rude"
      ? { value: value.length }
      : { issues: [{ message: "mind your words" }] },
  types: undefined as unknown as { input: string; output: number },
} as const;

const words = { type: "string", pattern: "^[a-z]{1,9}$" };

const asStandard: StandardSchema<string, number> = {
  "~standard": { ...lengths, jsonSchema: { input: () => words } },
};

const byMethod = {
  "~standard": lengths,
  toJSONSchema: ({ io }: { io: string }) => ({ ...words, description: io }),
};

describe("a validator", () => {
  it("with Standard JSON Schema is asked for the draft that is read", async () => {
    const asked: string[] = [];
    const input = ({ target }: { target: string }) => {
      asked.push(target);
      return words;
    };
    const schema = { "~standard": { ...lengths, jsonSchema: { input } } };
    using grammar = await compileGrammar({ jsonSchema: schema });
    expect(asked).toEqual(["draft-2020-12"]);
    expect(grammar.canComplete(['"wor', null])).toBe(true);
    expect(grammar.canComplete(['"Wor', null])).toBe(false);
  });

  it("with a method toJSONSchema is asked what it takes, not what it gives", async () => {
    const { request, result } = await written({ jsonSchema: byMethod }, '"hello"');
    const text = JSON.stringify({ ...words, description: "input" });
    expect(request.grammar).toEqual({ kind: "jsonSchema", text });
    expect((await result).value).toBe(5);
  });

  it("that is a function is one too", async () => {
    const schema = Object.assign(() => true, asStandard);
    const { result } = await written({ jsonSchema: schema }, '"hello"');
    expect((await result).value).toBe(5);
  });

  it("that cannot be written as JSON Schema is refused, and its maker named", async () => {
    const grammar = { jsonSchema: { "~standard": lengths } };
    await expect(compileGrammar(grammar)).rejects.toMatchObject({
      kind: "invalid-input",
      message: expect.stringContaining("another"),
    });
  });

  it("may refuse what its JSON Schema allows, and says why", async () => {
    const { result } = await written({ jsonSchema: asStandard }, '"rude"');
    await expect(result).rejects.toMatchObject({
      kind: "refused-value",
      message: expect.stringContaining("mind your words"),
      cause: [{ message: "mind your words" }],
    });
  });
});

describe("a grammar that was compiled", () => {
  it("goes to the engine with what was handed over with it", async () => {
    const schema = z.object({ size: z.enum(["s", "m"]).transform((size) => size.length) });
    using grammar = await compileGrammar({ jsonSchema: schema }, { maxDepth: 3 });
    const { request, result } = await written(grammar, '{"size":"m"}');
    expect(request).toMatchObject({ grammar: grammar.source, maxDepth: 3 });
    expect((await result).value).toEqual({ size: 1 });
  });
});

it("is one of the dialects, or nothing", async () => {
  await expect(compileGrammar({ ebnf: "x" } as never)).rejects.toMatchObject({
    kind: "invalid-input",
  });
});
