/** The grammar door: what `lacuna-lm/grammar` gives. */

import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { compileGrammar, LacunaError, Vocabulary, validate } from "../src/grammar/index.ts";

const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

it("says whether a text with gaps can be completed, and how", async () => {
  const type = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
  const grammar = await compileGrammar({ jsonSchema: type });
  expect(grammar.canComplete(['{"a":', null])).toBe(true);
  expect(JSON.parse(grammar.witness(['{"a":', null]) ?? "")).toEqual({ a: expect.any(Number) });
  expect(grammar.canComplete(['{"a":"', null])).toBe(false);
  expect(grammar.witness(['{"a":"', null])).toBeUndefined();
  expect(grammar.check([new TextEncoder().encode('{"a": 1}')])).toMatchObject({
    completable: true,
  });
  grammar.dispose();
  expect(() => grammar.witness()).toThrow(LacunaError);
});

it("binds strings to the texts it is given", async () => {
  const texts = { request: "rain in Oslo today" };
  const schema = { type: "string", "x-spanOf": "request" };
  const grammar = await compileGrammar({ jsonSchema: schema }, { texts });
  expect(grammar.canComplete(['"in Oslo"'])).toBe(true);
  expect(grammar.canComplete(['"in Paris"'])).toBe(false);
});

it("takes zod's schemas, and reads their values", async () => {
  const schema = z.object({ size: z.enum(["small", "large"]), count: z.int().min(1).max(3) });
  const grammar = await compileGrammar({ jsonSchema: schema });
  expect(grammar.canComplete(['{"size":"sm', null, ',"count":3}'])).toBe(true);
  expect(grammar.canComplete(['{"size":"sm', null, ',"count":4}'])).toBe(false);
  expect(grammar.schema).toBe(schema);
});

it("says what is wrong with a grammar, where, and how to mend it", async () => {
  const unsupported = await validate({ jsonSchema: '{"type":"array","uniqueItems":true}' });
  expect(unsupported).toMatchObject({
    valid: false,
    diagnostics: [{ pointer: expect.stringContaining("uniqueItems"), severity: "error" }],
  });
  const misspelled = await validate({ gbnf: 'root ::= "é" |\n  othr' });
  expect(misspelled).toMatchObject({
    valid: false,
    diagnostics: [{ kind: "unknown-rule", line: 2, column: 3 }],
  });
  const fine = await validate({ gbnf: 'root ::= "a" root | "a"\nunused ::= "b"' });
  expect(fine).toMatchObject({ valid: true, diagnostics: [{ severity: "warning" }] });
  expect(fine.info?.rules).toBeGreaterThan(0);
});

it("tells where a text breaks, and what was expected", async () => {
  const grammar = await compileGrammar({ gbnf: 'root ::= "é"* "(" [0-9]+ ")"' });
  const broken = grammar.explain(["éé(x", null]);
  expect(broken).toMatchObject({
    why: "breaks",
    segment: 0,
    offset: 3,
    found: "x",
    expected: "0123456789",
    others: false,
    end: false,
  });
  expect(grammar.explain(["(", null, ")"])).toMatchObject({ why: "completable" });
  expect(grammar.explain(["(1"])).toMatchObject({
    why: "breaks",
    offset: 2,
    expected: ")0123456789",
  });
});

it("tells which tokens may stand in each cell", async () => {
  const tokens = [null, "(", ")", "1", "()", "12"];
  const vocabulary = await Vocabulary.of({ tokens, ends: [0] });
  const grammar = await compileGrammar({ regex: "\\([0-9]+\\)" }, { vocabulary });
  expect(grammar.allowedTokens([1, null, null])).toEqual([
    null,
    Uint32Array.of(3, 5),
    Uint32Array.of(2),
  ]);
  expect(grammar.canComplete(["(", null, ")"], { gaps: [1] })).toBe(true);
  expect(grammar.explain(["(1", null, ")"], { gaps: [40] })).toMatchObject({ why: "completable" });
  expect(grammar.canComplete([null], { gaps: [2] })).toBe(false);
  expect(grammar.explain([null], { gaps: [2] })).toMatchObject({ why: "cells" });

  const without = await compileGrammar({ regex: "a" });
  expect(() => without.allowedTokens([null])).toThrow(/tokenizer/);
});

it("reads the vocabulary of a tokenizer", async () => {
  const config = JSON.parse(file("models/lacuna-mini/config.json"));
  const vocabulary = await Vocabulary.fromTokenizer(
    file("models/lacuna-mini/tokenizer.json"),
    config,
  );
  expect(vocabulary.size).toBe(config.vocab_size);
  const grammar = await compileGrammar({ gbnf: 'root ::= "né"+' }, { vocabulary });
  const [cells] = grammar.allowedTokens([null, null, null]);
  const spelled = Array.from(cells ?? [], (id) => [...(vocabulary.bytes(id) ?? [])]);
  expect(spelled).toContainEqual([..."n"].map((c) => c.charCodeAt(0)));
  for (const bytes of spelled) expect([0x6e]).toContain(bytes[0]);
});

it("reads bytes in either case, as the engine does", async () => {
  const model = { vocab: { "<0xe2>": 0, "<0xE2>": 1, "▁a": 2, "<end>": 3 } };
  const tokenizer = { decoder: { type: "ByteFallback" }, model };
  const vocabulary = await Vocabulary.fromTokenizer(tokenizer, { eos_token_id: 3 });
  expect([0, 1, 2].map((id) => [...(vocabulary.bytes(id) ?? [])])).toEqual([
    [0xe2],
    [0xe2],
    [0x20, 0x61],
  ]);
});

it("is given up while its module is fetched, and compiles for others that wait", async () => {
  vi.resetModules();
  let serve = (_: Response) => {};
  const module = new Promise<Response>((resolve) => {
    serve = resolve;
  });
  vi.stubGlobal("fetch", () => module);
  try {
    const door = await import("../src/grammar/index.ts");
    void door.loadGrammarEngine({ wasmUrl: "http://localhost/grammar.wasm" });
    const abort = new AbortController();
    const given = door.compileGrammar({ regex: "a" }, { signal: abort.signal });
    const other = door.compileGrammar({ regex: "b" }, { signal: new AbortController().signal });
    abort.abort();
    await expect(given).rejects.toMatchObject({ kind: "cancelled", name: "AbortError" });
    const bytes = readFileSync(new URL("../wasm/grammar/lacuna_wasm_bg.wasm", import.meta.url));
    serve(new Response(bytes, { headers: { "content-type": "application/wasm" } }));
    expect((await other).witness()).toBe("b");
  } finally {
    vi.unstubAllGlobals();
  }
});

it("gives up where its signal was aborted", async () => {
  const signal = AbortSignal.abort();
  await expect(compileGrammar({ regex: "a" }, { signal })).rejects.toMatchObject({
    kind: "cancelled",
    name: "AbortError",
  });
});
