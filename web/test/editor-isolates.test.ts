import { json } from "@codemirror/lang-json";
import { ensureSyntaxTree, type StreamLanguage } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { describe, expect, it, test } from "vitest";
import { hasLeftward, quotedPlaces } from "../editor/directions.ts";
import { wordIsolates } from "../editor/isolates.ts";
import { gbnf } from "../editor/languages/gbnf.ts";
import { lark } from "../editor/languages/lark.ts";
import { regex } from "../editor/languages/regex.ts";

/** What is read for itself, with the side that it is read from. */
function isolated(language: StreamLanguage<unknown> | Extension, text: string): string[] {
  const state = EditorState.create({ doc: text, extensions: language });
  ensureSyntaxTree(state, text.length);
  return wordIsolates(state, 0, text.length).map(
    ({ start, end, dir }) => `${text.slice(start, end)} ${dir}`,
  );
}

describe("in an editor, there are read for themselves", () => {
  it("literals, classes and comments of GBNF", () => {
    expect(isolated(gbnf(), 'root ::= "שלום" " " [א-ת]+ "!" # סוף\n#')).toEqual([
      '"שלום" auto',
      '" " auto',
      "[א-ת] ltr",
      '"!" auto',
      "סוף auto",
    ]);
  });

  it("a literal with escapes as one, and its escapes", () => {
    expect(isolated(gbnf(), 'a ::= "\\tשלום\\n" "עולם"')).toEqual([
      '"\\tשלום\\n" auto',
      "\\t ltr",
      "\\n ltr",
      '"עולם" auto',
    ]);
  });

  it("literals and patterns of Lark", () => {
    expect(isolated(lark(), 'start: "שלום" /[א-ת]+/ "!"i // סוף')).toEqual([
      '"שלום" auto',
      "/[א-ת]+/ ltr",
      '"!"i auto',
      "סוף auto",
    ]);
  });

  it("words and classes of regular expressions", () => {
    expect(isolated(regex(), "שלום|[א-ת]+ מה טוב \\.")).toEqual([
      "שלום auto",
      "[א-ת] ltr",
      "מה טוב auto",
      "\\. ltr",
    ]);
  });

  it("names and strings of JSON", () => {
    expect(isolated(json(), '{"שם": ["שלום", "עולם"]}')).toEqual([
      '"שם" auto',
      '"שלום" auto',
      '"עולם" auto',
    ]);
  });
});

test.each(["שלום", "مرحبا", "ﻣﺮﺣﺒﺎ", "𞤀𞤣"])("%s is written from right to left", (word) => {
  expect(hasLeftward(`a ${word}`)).toBe(true);
});

test.each(["", "a b", "Ünï 语 🙂", "𐌰"])("%s is not", (word) => {
  expect(hasLeftward(word)).toBe(false);
});

test.each([
  ['["שלום", "a", "עולם"]', ['"שלום"', '"עולם"']],
  ['"א\\"ב" "ג', ['"א\\"ב"']],
  ['צה"ל וארה"ב', []],
  ['"א\nב"', []],
  ['["a", "b"]', []],
])("strings in quotes: %s", (text, strings) => {
  expect(quotedPlaces(text).map(({ start, end }) => text.slice(start, end))).toEqual(strings);
});
