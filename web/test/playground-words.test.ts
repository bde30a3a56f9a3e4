import { expect, test } from "vitest";
import { rangesOf } from "../playground/engine/ranges.ts";
import { duration, quoted, rangesOfText, rangeWords } from "../playground/words.ts";
import { seenPieces } from "../src/page/invisible.ts";
import { counted } from "../src/page/words.ts";

test.each([
  ["0123456789", ["0–9"]],
  ["abcdef", ["a–f"]],
  ["ace", ["a", "c", "e"]],
  ["\t\n ", ["tab", "new line", "space"]],
  ["+-0129", ["+", "-", "0", "1", "2", "9"]],
  ["/0123:", ["/", "0–3", ":"]],
])("the characters %j in words", (text, words) => {
  expect(rangeWords(rangesOfText(text)).shown.map((it) => it.words)).toEqual(words);
});

test("characters beyond ASCII are counted, surrogates are none", () => {
  expect(rangeWords([[0x7e, 0x10ffff]])).toEqual({
    shown: [
      { words: "~", only: "~" },
      { words: "U+007F", only: "\u007f" },
    ],
    beyond: 0x110000 - 0x80 - 0x800,
  });
});

test("a few characters beyond ASCII are shown", () => {
  const { shown, beyond } = rangeWords(rangesOfText("あいう"));
  expect([shown.map(({ only }) => only).join(""), beyond]).toEqual(["あいう", 0]);
});

test("numbers as ranges", () => {
  expect(rangesOf([5, 1, 2, 3, 9, 10])).toEqual([
    [1, 3],
    [5, 5],
    [9, 10],
  ]);
});

test("what has no shape of its own is told by its number", () => {
  const text = "\u200b\u202e\ufeff\u00ad\u2028\u3000\u0301\u{e0001}";
  const { shown } = rangeWords(rangesOfText(text));
  const numbers = ["AD", "301", "200B", "2028", "202E", "3000", "FEFF", "E0001"];
  expect(shown.map(({ words }) => words)).toEqual(numbers.map((it) => `U+${it.padStart(4, "0")}`));
  expect(quoted("\u{e0001}")).toBe("U+E0001");
  expect([quoted("\u00a0"), quoted("\u0301"), quoted("😀")]).toEqual([
    "a no-break space",
    "U+0301",
    "“😀”",
  ]);
});

test.each([
  ["plain\ttext\n", "plain\ttext\n"],
  ["a\u200bb\u202ec\u0000", "a<U+200B>b<U+202E>c<U+0000>"],
  ["e\u0301 \u0301", "e\u0301 <U+0301>"],
  ["\u0301x", "<U+0301>x"],
  ["सीता ❤\ufe0f", "सीता ❤\ufe0f"],
  ["\u3000\u00a0 \u{e0001}", "<U+3000><U+00A0> <U+E0001>"],
])("the text %j as it is seen", (text, expected) => {
  const pieces = seenPieces(text).map(({ shown, isNamed }) => (isNamed ? `<${shown}>` : shown));
  expect(pieces.join("")).toBe(expected);
});

test("sentences", () => {
  expect([counted(1, "rule"), counted(2000, "rule")]).toEqual(["1 rule", "2,000 rules"]);
  expect([0.4, 12.3, 1234].map(duration)).toEqual(["under 1 ms", "12 ms", "1.2 s"]);
  expect([quoted("x"), quoted(" "), quoted("\n")]).toEqual(["“x”", "a space", "a new line"]);
});
