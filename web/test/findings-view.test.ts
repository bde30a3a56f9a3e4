import { expect, it } from "vitest";
import { placeOf, sentence } from "../src/page/findings-view.ts";

it("what an error says is a sentence, and names in it stay as they are", () => {
  expect(
    ["no end was found", "minItems is more", "config.json: 404", "mistake.", "Is it?"].map((text) =>
      sentence(text),
    ),
  ).toEqual(["No end was found.", "minItems is more.", "config.json: 404.", "Mistake.", "Is it?"]);
  expect(sentence("a has been defined before", "a: B")).toBe("a has been defined before.");
  expect(sentence("a rule needs a body", "start:")).toBe("A rule needs a body.");
});

it("a finding is where its bytes are, else where its pointer leads, else nowhere", () => {
  const text = '{"é": [1, 2]}';
  const shown = (where: object) => {
    const place = placeOf({ kind: "", message: "", severity: "error", ...where }, text);
    return place && text.slice(place.start, place.end);
  };
  expect(shown({ span: { start: 7, end: 13 } })).toBe("[1, 2]");
  expect(shown({ span: { start: 2, end: 4 }, pointer: "/é" })).toBe("é");
  expect(shown({ pointer: "/é/1" })).toBe("2");
  expect([shown({ pointer: "/none" }), shown({})]).toEqual([undefined, undefined]);
});
