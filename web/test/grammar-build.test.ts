import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import init, { Grammar } from "../pkg/grammar/lacuna_wasm.js";

beforeAll(async () => {
  const bytes = readFileSync(new URL("../pkg/grammar/lacuna_wasm_bg.wasm", import.meta.url));
  await init({ module_or_path: bytes });
});

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
