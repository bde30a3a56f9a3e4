import { describe, expect, test } from "vitest";
import {
  gapBehind,
  parseGaps,
  piecesOf,
  writtenPieces,
  writtenPlace,
  writtenText,
} from "../playground/gaps.ts";

const pieces = (written: string) => piecesOf(parseGaps(written));

describe("texts with gaps", () => {
  test.each([
    ["", []],
    ["plain", ["plain"]],
    ["□", [null]],
    ["a□b", ["a", null, "b"]],
    ["□3", [3]],
    ["x□12y□", ["x", 12, "y", null]],
    ["□□", [null, null]],
    ["□0", [0]],
    ["□1234", [123, "4"]],
    ["a\\□3", ["a□3"]],
    ["□\\3", [null, "3"]],
    ["□\\x", [null, "\\x"]],
    ["\\n", ["\\n"]],
    ["😀□2", ["😀", 2]],
    ["\\\\□", ["\\", null]],
    ["\\\\\\□", ["\\□"]],
    ["a\\\\\\\\□2", ["a\\\\", 2]],
    ["\\\\", ["\\\\"]],
  ])("%s", (written, expected) => {
    expect(pieces(written)).toEqual(expected);
  });

  test("parts know where they are written", () => {
    expect(parseGaps("ab□3c")).toEqual([
      { text: "ab", start: 0, end: 2 },
      { cells: 3, start: 2, end: 4 },
      { text: "c", start: 4, end: 5 },
    ]);
  });

  test("places behind escapes are where they are written", () => {
    const written = "a\\□b";
    const [part] = parseGaps(written);
    if (!part) throw new Error("no part");
    expect([0, 1, 2, 3].map((offset) => writtenPlace(written, part, offset))).toEqual([0, 1, 3, 4]);
  });

  test("any text can be written", () => {
    for (const text of ["", "a", "□", "□3", "a□", "\\", "□\\3", "\\□", "\\\\□\\"]) {
      expect(pieces(writtenText(text)).join("")).toBe(text);
    }
  });

  test.each([
    [["a", null]],
    [["\\", null, "3"]],
    [["\\\\", 2, "45"]],
    [["\\□\\", null, null, "\\□"]],
    [[12, "\\x"]],
    [[null, "\\3"]],
  ])("pieces are read as they were written: %j", (given) => {
    expect(pieces(writtenPieces(given).join(""))).toEqual(given);
  });

  test("a gap can be typed behind any text", () => {
    for (const before of ["", "a", "\\", "\\\\", "a\\\\\\"]) {
      expect(pieces(before + gapBehind(before)).at(-1)).toBe(null);
    }
  });
});
