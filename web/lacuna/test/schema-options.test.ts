/** The choices beside a JSON Schema: order, white space, indentation, documents. */

import { describe, expect, it } from "vitest";
import {
  type CompileOptions,
  compileGrammar,
  LacunaError,
  type SchemaInput,
} from "../src/grammar/index.ts";

const item = {
  type: "object",
  properties: { name: { type: "string" }, count: { type: "integer" } },
  required: ["name", "count"],
  additionalProperties: false,
};

const admits = async (
  text: string,
  options: CompileOptions = {},
  jsonSchema: SchemaInput = item,
) => {
  const grammar = await compileGrammar({ jsonSchema }, options);
  const admitted = grammar.canComplete([text]);
  grammar.dispose();
  return admitted;
};

describe("the order of properties", () => {
  const turned = '{"count": 1, "name": "a"}';

  it("is any where texts are judged, unless the schema's is asked for", async () => {
    expect(await admits(turned)).toBe(true);
    expect(await admits(turned, { schema: { order: "any" } })).toBe(true);
    expect(await admits(turned, { schema: { order: "declared" } })).toBe(false);
    expect(await admits('{"name": "a", "count": 1}', { schema: { order: "declared" } })).toBe(true);
  });

  it("never lets a property stand twice", async () => {
    expect(await admits('{"count": 1, "name": "a", "count": 1}')).toBe(false);
  });
});

describe("white space", () => {
  const spread = '{ "name" : "a",\n "count" : 1 }';

  it("stands anywhere or nowhere", async () => {
    expect(await admits(spread)).toBe(true);
    expect(await admits(spread, { schema: { whiteSpace: "any" } })).toBe(true);
    expect(await admits(spread, { schema: { whiteSpace: "compact" } })).toBe(false);
    const compact = '{"name":"a","count":1}';
    expect(await admits(compact, { schema: { whiteSpace: "compact" } })).toBe(true);
  });

  it("is what JSON.stringify writes with so many blanks", async () => {
    const written = JSON.stringify({ name: "a", count: 1 }, null, 2);
    expect(await admits(written, { schema: { indent: 2 } })).toBe(true);
    expect(await admits(written, { schema: { indent: 4 } })).toBe(false);
    expect(await admits(spread, { schema: { indent: 2 } })).toBe(false);
  });
});

describe("effort", () => {
  it("bounds the steps of compiling", async () => {
    const options = { schema: { effort: 1 } };
    const error = await admits("{}", options).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(LacunaError);
    expect(error).toMatchObject({ diagnostics: [{ kind: "too-much-work" }] });
    expect(await admits('{"name":"a","count":1}', { schema: { effort: 10_000 } })).toBe(true);
  });
});

describe("documents", () => {
  const schema = { type: "array", items: { $ref: "https://example.com/item" } };
  const documents = { "https://example.com/item": JSON.stringify(item) };

  it("are where references lead", async () => {
    const options = { schema: { documents } };
    expect(await admits('[{"name": "a", "count": 1}]', options, schema)).toBe(true);
    expect(await admits('[{"name": "a"}]', options, schema)).toBe(false);
  });

  it("are missed by their names", async () => {
    await expect(compileGrammar({ jsonSchema: schema })).rejects.toThrow(LacunaError);
    const error = await compileGrammar({ jsonSchema: schema }).catch((thrown) => thrown);
    expect(error.diagnostics).toMatchObject([{ kind: "unsupported-reference" }]);
  });
});
