import { describe, expect, it } from "vitest";
import {
  lineOf,
  rangeOfBytes,
  rangeOfPointer,
  rangesOfPointers,
  unitsOfBytes,
} from "../src/page/json-places.ts";

const text = `{
  "a": [1, {"b/c": "x\\"y"}, [true, null]],
  "é~": -1.5e3
}`;

const at = (pointer: string) => {
  const range = rangeOfPointer(text, pointer);
  return range && text.slice(range.start, range.end);
};

describe("places in a JSON text", () => {
  it("finds values by pointer, members with their key", () => {
    expect(at("")).toBe(text);
    expect(at("/a/0")).toBe("1");
    expect(at("/a/1/b~1c")).toBe('"b/c": "x\\"y"');
    expect(at("/a/2/1")).toBe("null");
    expect(at("/é~0")).toBe('"é~": -1.5e3');
  });

  it("finds nothing where there is nothing", () => {
    expect(at("/b")).toBeUndefined();
    expect(at("/a/3")).toBeUndefined();
    expect(at("/a/0/x")).toBeUndefined();
  });

  it("finds what stands before a mistake, and does not trip over it", () => {
    expect(rangeOfPointer('{"a": 1, "b": }', "/a")).toEqual({ start: 1, end: 7 });
    expect(rangeOfPointer('{"a": 1, "b": }', "/b")).toBeUndefined();
    expect(rangeOfPointer("", "/b")).toBeUndefined();
  });

  it("finds all values at once, as it finds each", () => {
    const all = rangesOfPointers(text);
    expect([...all.keys()].sort()).toEqual(
      ["", "/a", "/a/0", "/a/1", "/a/1/b~1c", "/a/2", "/a/2/0", "/a/2/1", "/é~0"].sort(),
    );
    for (const [pointer, range] of all) expect(range).toEqual(rangeOfPointer(text, pointer));
    expect(rangesOfPointers('{"a": [], "b": {"c": {}}}').get("/b/c")).toEqual({
      start: 16,
      end: 23,
    });
  });

  it("turns byte spans into offsets", () => {
    expect(rangeOfBytes("é😀x", { start: 2, end: 6 })).toEqual({ start: 1, end: 3 });
    const unitsAt = unitsOfBytes("é😀x");
    expect([0, 2, 6, 7, 8].map(unitsAt)).toEqual([0, 1, 3, 4, 4]);
  });

  it("counts lines from one", () => {
    expect(lineOf(text, 0)).toBe(1);
    expect(lineOf(text, text.indexOf("é"))).toBe(3);
  });
});
