import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GrammarKind } from "lacuna-lm";
import { beforeAll, describe, expect, it } from "vitest";
import { bindings, loadGrammarEngine } from "../lacuna/src/grammar/load.ts";

const grammars = (path: string) =>
  fileURLToPath(new URL(`../../grammars/${path}`, import.meta.url));
const shipped = (path: string) => readFileSync(grammars(path), "utf8");

const { Grammar } = bindings;

beforeAll(() => loadGrammarEngine());

function made(maker: string, ...args: string[]): string {
  const run = [grammars(`make/${maker}.mjs`), ...args];
  return execFileSync(process.execPath, run, { encoding: "utf8", stdio: "pipe" });
}

/** Whether each text, with gaps where there are nulls, can become a member. */
function completable(kind: GrammarKind, grammar: string, texts: (string | null)[][]): boolean[] {
  const compiled = Grammar.compile(kind, grammar, {});
  const answers = texts.map(
    (segments) => compiled.check(segments, undefined) as { completable: boolean },
  );
  compiled.free();
  return answers.map((answer) => answer.completable);
}

describe("tool calls", () => {
  function schema(functions: unknown): string {
    const folder = mkdtempSync(join(tmpdir(), "lacuna-"));
    try {
      const file = join(folder, "functions.json");
      writeFileSync(file, JSON.stringify(functions));
      return made("tool-call", file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it("as shipped are made of the list that is shipped with them", () => {
    const schema = made("tool-call", grammars("make/functions.json"));
    expect(JSON.parse(schema)).toEqual(JSON.parse(shipped("tool-call.schema.json")));
  });

  it("can be made of functions as chat interfaces list them", () => {
    const tree = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        leaf: { $ref: "#/$defs/leaf" },
        more: { type: "array", items: { $ref: "#" } },
        $ref: { enum: [{ $ref: "#" }] },
      },
      required: ["leaf"],
      additionalProperties: false,
      $defs: { leaf: { type: "integer" } },
    };
    const list = [
      { type: "function", function: { name: "plant/tree", parameters: tree } },
      { type: "function", function: { name: "stop", description: "Stops." } },
    ];
    const call = (name: string, args: unknown) => [JSON.stringify({ name, arguments: args })];
    const answers = completable("jsonSchema", schema(list), [
      call("plant/tree", { leaf: 1, more: [{ leaf: 2 }, { leaf: 3, more: [] }] }),
      call("plant/tree", { leaf: 1, $ref: { $ref: "#" } }),
      call("stop", {}),
      ['{"arguments": {"leaf": ', null],
      call("plant/tree", { leaf: 1, more: [{ leaf: "2" }] }),
      call("plant/tree", { leaf: 1, $ref: "#" }),
      call("stop", { leaf: 1 }),
      call("go", {}),
      call("stop", undefined),
    ]);
    expect(answers).toEqual([true, true, true, true, false, false, false, false, false]);
  });

  it("need names, and references that stay within their function", () => {
    const twice = [{ name: "a" }, { name: "a" }];
    expect(() => schema(twice)).toThrow('given twice: "a"');
    for (const nameless of [{}, null])
      expect(() => schema([nameless])).toThrow("a function's name is missing");
    expect(() => schema({ name: "a" })).toThrow("expected a list of functions");
    const far = [{ name: "a", parameters: { $ref: "https://example.org/a" } }];
    expect(() => schema(far)).toThrow("leads out of its function");
  });
});

describe("XML", () => {
  it("as shipped is made of its own names", () => {
    const names =
      shipped("xml.lark")
        .match(/^NAMES: (.*)$/m)?.[1]
        ?.match(/[^" |]+/g) ?? [];
    expect(names.length).toBeGreaterThan(5);
    expect(made("xml", ...names)).toBe(shipped("xml.lark"));
  });

  it("can be made for other names", () => {
    const grammar = made("xml", "a", "b-c", "b.c", "svg:rect", "é", "pre", "p");
    const answers = completable("lark", grammar, [
      ['<a><b-c>x<b.c y="1"/></b-c><é/></a>'],
      ["<pre><p>&lt;</p></pre>"],
      ["<svg:rect><a>", null, "</svg:rect>"],
      ["<a><b-c></b.c></a>"],
      ["<pre></p>"],
      ["<article/>"],
    ]);
    expect(answers).toEqual([true, true, true, false, false, false]);
  });

  it("needs different names that are names", () => {
    expect(() => made("xml", "a", "a")).toThrow("expected different names");
    expect(() => made("xml", 'a"b')).toThrow("expected different names");
  });
});

/** What is said where nothing is made. */
function refusal(maker: string, ...args: string[]): string {
  const run = spawnSync(process.execPath, [grammars(`make/${maker}.mjs`), ...args], {
    encoding: "utf8",
  });
  expect(run.status).toBe(1);
  expect(run.stdout).toBe("");
  return run.stderr;
}

describe("a maker that is used wrongly", () => {
  it("says in a line how it is used", () => {
    for (const [said, ...call] of [
      [/^usage: .*NAME…/, "xml"],
      [/^expected different names.*usage: .*NAME…/, "xml", "a", "a"],
      [/^usage: .*FUNCTIONS\.json/, "tool-call"],
      [/^ENOENT.*nowhere\.json.*usage: .*FUNCTIONS\.json/, "tool-call", "nowhere.json"],
      [/^Unexpected token.*usage: .*FUNCTIONS\.json/, "tool-call", grammars("xml.lark")],
    ] as const) {
      const [maker, ...args] = call as readonly [string, ...string[]];
      const words = refusal(maker, ...args);
      expect(words).toMatch(said);
      expect(words.trimEnd()).not.toContain("\n");
    }
  });
});
