import type { StreamLanguage } from "@codemirror/language";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { expect, test } from "vitest";
import { gbnf } from "../editor/languages/gbnf.ts";
import { lark } from "../editor/languages/lark.ts";
import { regex } from "../editor/languages/regex.ts";
import { definitions } from "../editor/rules.ts";
import { definedIn } from "../editor/schema-words.ts";

/** The words of a text with their classes, short ones for the eye. */
function words(language: StreamLanguage<unknown>, text: string): string[] {
  const found: string[] = [];
  highlightTree(language.parser.parse(text), classHighlighter, (from, to, classes) => {
    found.push(
      `${text.slice(from, to)} ${classes.replaceAll("tok-", "").replace("variableName ", "")}`,
    );
  });
  return found;
}

test("GBNF", () => {
  expect(words(gbnf(), 'root ::= "a\\n" [^"x] item? # end\nitem ::= <tok> !')).toEqual([
    "root definition",
    "::= operator",
    '"a string',
    "\\n string2",
    '" string',
    '[^"x] string2',
    "item variableName",
    "? operator",
    "# end comment",
    "item definition",
    "::= operator",
    "<tok> atom",
    "! invalid",
  ]);
});

test("a literal of GBNF over two lines", () => {
  expect(words(gbnf(), 'a ::= "x\ny" b').at(-1)).toBe("b variableName");
});

test("a literal of GBNF that begins with an escape, and one that a backslash ends", () => {
  expect(words(gbnf(), 'a ::= "\\n" "x\\')).toEqual([
    "a definition",
    "::= operator",
    '" string',
    "\\n string2",
    '" string',
    '"x\\ string',
  ]);
});

test("Lark", () => {
  expect(words(lark(), '?start.2: NAME "x"i /[/"]+/s~2..3 -> pair // end\n%ignore WS')).toEqual([
    "?start.2 definition",
    ": operator",
    "NAME variableName2",
    '"x"i string',
    '/[/"]+/s string2',
    "~2..3 number",
    "-> operator",
    "pair variableName",
    "// end comment",
    "%ignore keyword",
    "WS variableName2",
  ]);
});

test("regular expressions", () => {
  expect(words(regex(), "(?i:a[^\\]b]{2}|\\p{Lu})$")).toEqual([
    "(?i: keyword",
    "a string",
    "[^ string2",
    "\\] string2",
    "b] string2",
    "{2}| operator",
    "\\p{Lu} string2",
    ") punctuation",
    "$ atom",
  ]);
});

test("definitions, with what belongs to them", () => {
  const text = 'root ::= a |\n  "b"\n\n  a ::= [x]\n# a comment ::= of\nb-2::="y"';
  const found = definitions("gbnf", text).map(({ name, start, end }) => [
    name,
    text.slice(start, end),
  ]);
  expect(found).toEqual([
    ["root", 'root ::= a |\n  "b"'],
    ["a", "a ::= [x]\n# a comment ::= of"],
    ["b-2", 'b-2::="y"'],
  ]);
  const rules = '?start: A\n  | "b" -> c\n_sep{x, y}.3: x\nA.2: /:/\n%slot B: plain';
  expect(definitions("lark", rules).map(({ name }) => name)).toEqual(["start", "_sep", "A", "B"]);
});

test("what a schema defines, while it is typed too", () => {
  const whole =
    '{"$defs": {"a/b": {}, "c": {"properties": {"d": {}}}}, "definitions": {"e": true}}';
  expect(definedIn(whole)).toEqual(["#/$defs/a~1b", "#/$defs/c", "#/definitions/e"]);
  expect(definedIn('{"$defs": {"a": {"type": "string"}, "b": {}}, "$ref": "')).toEqual([
    "#/$defs/a",
    "#/$defs/b",
  ]);
  expect(definedIn("true")).toEqual([]);
});
