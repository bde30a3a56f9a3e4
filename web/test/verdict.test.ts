import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { judge, standsIn } from "../src/page/verdict.ts";

const folder = new URL("../../grammars/", import.meta.url);
const snips = readFileSync(new URL("snips.schema.json", folder), "utf8");

describe("the judgement of a text", () => {
  it("says that a text is no JSON", async () => {
    const verdict = await judge('{"intent":', snips, "");
    expect(verdict).toMatchObject({ parses: false, valid: false });
    expect((await judge("", snips, "")).problems).toEqual(["Not JSON: the text is empty"]);
  });

  it("holds a value against the schema", async () => {
    expect(
      (await judge('{"intent":"GetWeather","city":"Oslo"}', snips, "rain in Oslo")).valid,
    ).toBe(true);
    const wrong = await judge('{"intent":"Dance"}', snips, "");
    expect(wrong).toMatchObject({ parses: true, valid: false });
    expect(wrong.problems.length).toBeGreaterThan(0);
  });

  it("knows older drafts, and says where it cannot judge", async () => {
    const at = (draft: string, more = "") =>
      `{"$schema": "http://json-schema.org/${draft}/schema#", "items": [{"type": "string"}]${more}}`;
    for (const draft of ["draft-07", "draft-06", "draft-04"]) {
      expect((await judge('["a", 1]', at(draft), "")).valid).toBe(true);
      expect((await judge("[1]", at(draft), "")).valid).toBe(false);
    }
    const old = '{"$schema": "https://json-schema.org/draft/2019-09/schema", "minItems": 1}';
    expect((await judge("[1]", old, "")).valid).toBe(true);
    const verdict = await judge("[1]", at("draft-07", ', "exclusiveMinimum": true'), "");
    expect(verdict).toMatchObject({ valid: false, parses: true, word: "Not judged" });
    expect(verdict.problems).toHaveLength(1);
  });

  it("takes bounds and names as draft 4 writes them", async () => {
    const $schema = "http://json-schema.org/draft-04/schema#";
    const bounded = { minimum: 3, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false };
    const properties = { id: bounded, exclusiveMinimum: { enum: [{ id: 1 }] }, n: { $ref: "#n" } };
    const definitions = { n: { id: "#n", type: "integer" } };
    const schema = JSON.stringify({ $schema, id: "http://e.x/", properties, definitions });
    for (const value of [{ id: 4 }, { id: 5 }, { exclusiveMinimum: { id: 1 } }, { n: 1 }])
      expect(await judge(JSON.stringify(value), schema, "")).toMatchObject({ word: "Valid" });
    for (const value of [{ id: 3 }, { id: 6 }, { exclusiveMinimum: 1 }, { n: "1" }])
      expect(await judge(JSON.stringify(value), schema, "")).toMatchObject({ word: "Not valid" });
  });

  it("tells formats that nobody looked at, and prints nothing", async () => {
    const warned = vi.spyOn(console, "warn");
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    const properties = { a: { format: "email" }, b: { format: "date" } };
    const schema = JSON.stringify({ $schema, properties });
    const verdict = await judge('{"a": "x"}', schema, "");
    expect(verdict).toMatchObject({ valid: true, formats: ["email"] });
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it("notes bound values that do not stand in the request, without calling them invalid", async () => {
    const verdict = await judge('{"intent":"GetWeather","city":"Paris"}', snips, "rain in Oslo");
    expect(verdict.valid).toBe(true);
    expect(verdict.spans).toEqual([{ pointer: "/city", value: "Paris", stands: false }]);
  });

  it("knows runs of whole words", () => {
    expect(standsIn("Sunday Kitchen", "my Sunday Kitchen, please")).toBe(true);
    expect(standsIn("Sun", "my Sunday")).toBe(false);
    expect(standsIn("day", "Sunday or any day")).toBe(true);
    expect(standsIn("8 pm?", "at 8 pm?")).toBe(true);
    expect(standsIn("", "anything")).toBe(false);
  });
});

describe("the schemas that ship", () => {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".schema.json"))) {
    it(`${name} is a schema for ajv`, async () => {
      const schema = readFileSync(new URL(name, folder), "utf8");
      expect((await judge("{}", schema, "")).valid).toBe(false);
    });
  }
});
