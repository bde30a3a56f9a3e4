import { describe, expect, it } from "vitest";
import { markedJson, markedRequest, placesOf, sourcesOf } from "../src/page/spans.ts";

const note = (pointer: string, value: string, stands = true) => ({ pointer, value, stands });
const request = "play The Wall by Wall, the wall song";

describe("where values come from", () => {
  it("finds whole words only", () => {
    expect(placesOf("wall", "walls, wall")).toEqual([7]);
    expect(placesOf("", "anything")).toEqual([]);
  });

  it("gives each value a place of its own, long ones first, in the request's order", () => {
    const spans = [note("/artist", "Wall"), note("/track", "The Wall"), note("/no", "x", false)];
    expect(sourcesOf(spans, request)).toEqual([
      { pointer: "/track", start: 5, end: 13, number: 0 },
      { pointer: "/artist", start: 17, end: 21, number: 1 },
    ]);
  });

  it("leaves a value out that stands only within another's place", () => {
    const spans = [note("/a", "The Wall"), note("/b", "The")];
    expect(sourcesOf(spans, request).map(({ pointer }) => pointer)).toEqual(["/a"]);
  });

  it("cuts the request into pieces that add up", () => {
    const sources = sourcesOf([note("/track", "The Wall")], request);
    const pieces = markedRequest(request, sources);
    expect(pieces.map(({ text }) => text).join("")).toBe(request);
    expect(pieces.map(({ source }) => source?.pointer)).toEqual([undefined, "/track", undefined]);
  });

  it("takes marks, and letters of any plane, as parts of words", () => {
    expect(placesOf("cafe", "cafe\u0301 au lait")).toEqual([]);
    expect(placesOf("yz", "go \u{1d4b3}yz now")).toEqual([]);
    expect(placesOf("go", "go\u{1d4b3} go")).toEqual([5]);
    expect(placesOf("\u0301", "e\u0301")).toEqual([]);
    expect(placesOf("e", "e\u0301a e")).toEqual([4]);
    expect(placesOf("jazz", "\u{1f3b7}jazz\u{1f3b7}")).toEqual([2]);
  });

  const laidOut = (json: string) =>
    markedJson(json, [])
      .map(({ text }) => text)
      .join("");

  it("lays JSON out as the platform does, values marked by their pointers", () => {
    const value = { "a/b": ["The Wall", 1, true, null, {}, []], c: { d: "x" } };
    const sources = [{ pointer: "/a~1b/0", start: 5, end: 13, number: 0 }];
    const pieces = markedJson(JSON.stringify(value), sources);
    expect(pieces.map(({ text }) => text).join("")).toBe(JSON.stringify(value, null, 2));
    expect(pieces.filter(({ source }) => source).map(({ text }) => text)).toEqual(['"The Wall"']);
    for (const value of [{}, [], [[]], [{}, {}], "a, [b]: {c}", -1.5e3, { a: [{ b: [] }] }])
      expect(laidOut(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  });

  it("lays out what is written: digits, keys in their order, escapes", () => {
    expect(laidOut('{ "id":12345678901234567890, "10":1.0,"2":"\\u00e9","__proto__" : 3 }')).toBe(
      '{\n  "id": 12345678901234567890,\n  "10": 1.0,\n  "2": "\\u00e9",\n  "__proto__": 3\n}',
    );
  });
});
