import { expect, test } from "vitest";
import { parseGaps } from "../playground/gaps.ts";
import { completedPlace, writtenPlaces } from "../playground/text-places.ts";

const written = "a\\□b□2c□";
const parts = parseGaps(written);
const completed = {
  text: "a□bxyc",
  fillings: [
    [3, 5],
    [6, 6],
  ] as const,
};

test.each([
  [0, 1, ["a"]],
  [1, 2, ["\\□"]],
  [0, 3, ["a\\□b"]],
  [2, 4, ["b", "□2"]],
  [4, 5, ["□2"]],
  [0, 6, ["a\\□b", "□2", "c"]],
])("%i to %i of the completion, as it is written", (start, end, expected) => {
  const places = writtenPlaces(written, parts, completed, { start, end });
  expect(places.map(({ start, end }) => written.slice(start, end))).toEqual(expected);
});

test("a cursor in the text, in the completion", () => {
  const at = (cursor: number) => completedPlace(written, parts, completed, cursor);
  expect([0, 1, 3, 4, 5, 6, 7].map(at)).toEqual([0, 1, 2, 3, 3, 5, 6]);
  expect(at(written.length)).toBeUndefined();
});
