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

describe("a format that no text was held to", () => {
  const card = z.object({ links: z.array(z.object({ link: z.url() })) });
  const text = '{"links":[{"link":"x"}]}';

  it("is said to be one where the validator refuses the value", async () => {
    const { result } = await written({ jsonSchema: card }, text);
    await expect(result).rejects.toMatchObject({
      kind: "refused-value",
      message:
        "The schema's validator refuses the value (links.0.link: Invalid URL): formats " +
        '("uri") are held only if the schema has "x-assertFormats": true at its root.',
    });
  });

  it("is found behind references and in alternatives", async () => {
    const link = z.url().meta({ id: "Link" });
    const { result } = await written(
      { jsonSchema: z.union([z.object({ link }), z.null()]) },
      '{"link":"x"}',
    );
    await expect(result).rejects.toThrow('("uri")');
    const nested = z.object({ a: link, b: link.nullable() });
    const other = await written({ jsonSchema: nested }, '{"a":"x","b":null}');
    await expect(other.result).rejects.toThrow('("uri")');
  });

  it("is held to where the schema says so", async () => {
    const held = z.object({ link: z.url() }).meta({ "x-assertFormats": true });
    using grammar = await compileGrammar({ jsonSchema: held });
    expect(grammar.canComplete(['{"link":"x"}'])).toBe(false);
    expect(grammar.canComplete(['{"link":"https://example.org"}'])).toBe(true);
    const { result } = await written({ jsonSchema: held }, '{"link":"x"}');
    await expect(result).rejects.toThrow("it asks for more than its JSON Schema says");
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
