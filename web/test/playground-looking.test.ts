import { expect, test } from "vitest";
import type { Kit, Opened } from "../playground/engine/kit.ts";
import { look } from "../playground/engine/looking.ts";
import { Slices } from "../playground/engine/slices.ts";
import { tokensNamed } from "../playground/engine/tokens-named.ts";
import type { Look } from "../playground/protocol.ts";

/** A kit whose grammar takes every text but those with an x. */
const kit = {
  open: async () =>
    ({
      bench: {
        complete: ([text]: string[]) =>
          text?.includes("x") ? null : { text: text ?? "", fillings: [] },
        explain: () => ({ why: "empty" }),
        derive: () => [],
      },
      choices: {
        find: async (
          _: unknown,
          gap: number,
          __: unknown,
          ___: unknown,
          tell: (it: object) => void,
        ) => tell({ gap }),
      },
      info: {},
      millis: 0,
    }) as unknown as Opened,
} as unknown as Kit;

const wanted = (text: string): Look => ({
  grammar: { kind: "gbnf", text: "", texts: {}, lists: {}, cells: "characters" },
  pieces: [text],
  tests: [
    { pieces: ["a"], belongs: true },
    { pieces: ["x"], belongs: true },
  ],
  gap: 0,
});

async function told(text: string): Promise<string[]> {
  const found: string[] = [];
  const slices = new Slices(() => {});
  await look(kit, wanted(text), slices, { isOver: false }, ({ about }) => found.push(about));
  return found;
}

test("tests and choices come before the derivation, which may take longest", async () => {
  const about = ["grammar", "verdict", "test", "test", "choices", "tree"];
  expect(await told("a")).toEqual(about);
  expect(await told("x")).toEqual(["grammar", "verdict", "explanation", "test", "test"]);
});

test("tokens that a grammar names, with their places", () => {
  const text = 'root ::= "<a>" [<>] # <b>\n  <think> "é" !<[12]>';
  const found = tokensNamed({ kind: "gbnf", text });
  expect(found.map(({ message, line, column }) => [message.split(" ")[0], line, column])).toEqual([
    ["<think>", 2, 3],
    ["!<[12]>", 2, 15],
  ]);
  const { start = 0, end = 0 } = found[1]?.span ?? {};
  const bytes = new TextEncoder().encode(text).subarray(start, end);
  expect(new TextDecoder().decode(bytes)).toBe("!<[12]>");
  expect(tokensNamed({ kind: "gbnf", text: 'root ::= "a<[300]>" [a<b>c]' })).toEqual([]);
  expect(tokensNamed({ kind: "regex", text: "(?<name>a)" })).toEqual([]);
});
