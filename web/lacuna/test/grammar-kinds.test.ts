import { beforeAll, describe, expect, it } from "vitest";
import type { Fault } from "../src/fault.ts";
import { bindings, loadGrammarEngine } from "../src/grammar/load.ts";
import type { GrammarInfo, GrammarKind, GrammarOptions } from "../src/grammar/source.ts";

const { Grammar } = bindings;

beforeAll(() => loadGrammarEngine());

/** Whether the text belongs, with gaps where there are nulls. */
function belongs(
  kind: GrammarKind,
  text: string,
  segments: (string | null)[],
  options: GrammarOptions = {},
): boolean {
  const grammar = Grammar.compile(kind, text, options);
  const { completable } = grammar.check(segments, undefined) as { completable: boolean };
  grammar.free();
  return completable;
}

function info(kind: GrammarKind, text: string, options: GrammarOptions = {}): GrammarInfo {
  const grammar = Grammar.compile(kind, text, options);
  const info = grammar.info() as GrammarInfo;
  grammar.free();
  return info;
}

function fault(kind: GrammarKind, text: string, options: GrammarOptions = {}): Fault {
  try {
    Grammar.compile(kind, text, options).free();
  } catch (fault) {
    return fault as Fault;
  }
  throw new Error("the grammar was taken");
}

const LISTS = 'root ::= "[" (root ("," root)*)? "]"';

describe("every kind of grammar", () => {
  const grammars: Record<GrammarKind, string> = {
    gbnf: 'root ::= "ab"+',
    lark: 'start: "ab"+',
    regex: "(ab)+",
    jsonSchema: '{"enum": ["abab"]}',
  };
  for (const [kind, text] of Object.entries(grammars) as [GrammarKind, string][]) {
    it(`${kind}: takes members and gaps, refuses others`, () => {
      const quote = kind === "jsonSchema" ? '"' : "";
      expect(belongs(kind, text, [`${quote}abab${quote}`])).toBe(true);
      expect(belongs(kind, text, [`${quote}ab`, null])).toBe(true);
      expect(belongs(kind, text, [`${quote}aba${quote}`])).toBe(false);
      expect(info(kind, text)).toMatchObject({ warnings: [], terminals: 1 });
    });
  }

  it("cuts Lark's texts by the longest match", () => {
    const keywords = 'start: "if" NAME\nNAME: /[a-z]+/\n%ignore " "';
    expect(belongs("lark", keywords, ["if iffy"])).toBe(true);
    expect(belongs("lark", keywords, ["ififfy"])).toBe(false);
  });

  it("refuses other kinds by name", () => {
    const unknown = "ebnf" as GrammarKind;
    expect(fault(unknown, "x").message).toContain("gbnf, lark, regex or jsonSchema");
  });
});

describe("warnings", () => {
  it("come with kind, message, line, column, span and note", () => {
    const text = `# é\n${LISTS}\nunused ::= "é"`;
    const { warnings } = info("gbnf", text);
    expect(warnings.map(({ kind }) => kind)).toEqual(["unreachable-rule", "unbounded-nesting"]);
    expect(warnings[0]).toEqual({
      kind: "unreachable-rule",
      severity: "warning",
      message: "nothing that the start rule leads to uses unused",
      line: 3,
      column: 1,
      span: { start: 42, end: 48 },
    });
    expect(warnings[1]).toMatchObject({ line: 2, note: expect.stringContaining("depth") });
  });

  it("are none where nothing is amiss", () => {
    expect(info("lark", 'start: "a"').warnings).toEqual([]);
  });
});

describe("options", () => {
  it("fill slots from lists and from texts", () => {
    const query = `start: "select" COLUMN "for" WHO
%slot COLUMN: plain i
%slot WHO: quoted "'"
%ignore " "`;
    const options = { lists: { COLUMN: ["name", "birth date"] }, texts: { WHO: "Ann O'Lee" } };
    const ask = (text: string) => belongs("lark", query, [text], options);
    expect(ask("select Birth Date for 'Ann'")).toBe(true);
    expect(ask("select name for 'O''Lee'")).toBe(true);
    expect(ask("select date for 'Ann'")).toBe(false);
    expect(
      belongs("jsonSchema", '{"x-oneOf": "l", "type": "string"}', ['"b"'], { lists: { l: ["a"] } }),
    ).toBe(false);
    const unfilled = fault("lark", query, { lists: options.lists });
    expect(unfilled.diagnostics).toMatchObject([{ kind: "unfilled-slot", line: 3 }]);
    const left = fault("gbnf", 'root ::= "a"', { lists: { l: ["a"] } });
    expect(left.diagnostics).toMatchObject([{ kind: "unknown-slot" }]);
  });

  it("cut off what is nested too deep", () => {
    expect(belongs("gbnf", LISTS, ["[[[", null])).toBe(true);
    expect(belongs("gbnf", LISTS, ["[[[", null], { maxDepth: 1 })).toBe(false);
    expect(belongs("gbnf", LISTS, ["[[],[]]"], { maxDepth: 1 })).toBe(true);
    expect(info("gbnf", LISTS, { maxDepth: 1 }).rules).toBeGreaterThan(info("gbnf", LISTS).rules);
  });

  it("leave what matches an expression as a whole", () => {
    expect(belongs("gbnf", LISTS, ["[[]]"], { matching: ".{5,}" })).toBe(false);
    expect(belongs("gbnf", LISTS, ["[[],[]]"], { matching: ".{5,}" })).toBe(true);
    expect(belongs("jsonSchema", '{"type": "array"}', ["[1", null], { matching: ".{2}" })).toBe(
      false,
    );
    expect(fault("gbnf", LISTS, { matching: "a(?=b)" }).message).toContain("expression to match");
  });

  it("compile schemas for writing", () => {
    const schema = '{"properties": {"a": {}, "b": {}}, "required": ["a", "b"], "type": "object"}';
    const turned = ['{"b": 1, "a": 2}'];
    expect(belongs("jsonSchema", schema, turned)).toBe(true);
    expect(belongs("jsonSchema", schema, turned, { writing: true })).toBe(false);
  });

  it("are refused if they are no options", () => {
    const odd = { depth: 3 } as GrammarOptions;
    expect(fault("gbnf", LISTS, odd)).toMatchObject({
      kind: "invalid-input",
      message: expect.stringContaining('unknown field "depth"'),
    });
  });
});

describe("errors", () => {
  // It goes to the limit of states, in an engine that is built for size.
  it("name what makes a grammar too large", { timeout: 30_000 }, () => {
    const text = 'root ::= "(" root ")" | far\nfar ::= [ab]* "a" [ab]{40}';
    expect(fault("gbnf", text)).toMatchObject({
      kind: "grammar-too-large",
      diagnostics: [{ kind: "too-large", line: 2, column: 1, span: { start: 28, end: 31 } }],
    });
  });

  it("say that tokens need their tokenizer", () => {
    expect(fault("gbnf", "root ::= <think>")).toMatchObject({
      kind: "grammar",
      diagnostics: [{ kind: "token-terminal", line: 1, column: 10 }],
    });
  });

  it("come all at once", () => {
    const { diagnostics } = fault("gbnf", "root ::= a b <t>");
    const kinds = diagnostics?.map(({ kind, column }) => `${kind} ${column}`);
    expect(kinds).toEqual(["unknown-rule 10", "unknown-rule 12", "token-terminal 14"]);
  });
});
