import { expect, it } from "vitest";
import { merged } from "../editor/highlight.ts";

const places = (...all: [start: number, end: number][]) =>
  all.map(([start, end]) => ({ start, end }));

it.each([
  ["nothing", places(), places()],
  ["nested", places([0, 9], [2, 5], [3, 4]), places([0, 9])],
  ["nested, the inner first", places([2, 5], [0, 9]), places([0, 9])],
  ["overlapping", places([4, 8], [0, 5], [7, 9]), places([0, 9])],
  ["the same twice", places([1, 2], [1, 2]), places([1, 2])],
  ["side by side", places([2, 4], [0, 2]), places([0, 2], [2, 4])],
  ["apart", places([5, 6], [0, 1]), places([0, 1], [5, 6])],
])("places that are %s are tinted once", (_, given, covered) => {
  expect(merged(given)).toEqual(covered);
});
