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

  it("lays JSON out as the platform does, values marked by their pointers", () => {
    const value = { "a/b": ["The Wall", 1, true, null, {}, []], c: { d: "x" } };
    const sources = [{ pointer: "/a~1b/0", start: 5, end: 13, number: 0 }];
    const pieces = markedJson(value, sources);
    expect(pieces.map(({ text }) => text).join("")).toBe(JSON.stringify(value, null, 2));
    expect(pieces.filter(({ source }) => source).map(({ text }) => text)).toEqual(['"The Wall"']);
  });
});
