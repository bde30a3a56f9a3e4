import { expect, test } from "vitest";
import { isComposed } from "../src/page/dom.ts";

test.each([
  ["a key of its own", false, 13, false],
  ["one within a composition", true, 229, true],
  ["one within a composition, by its own code", true, 13, true],
  ["the one that ends it, in Safari", false, 229, true],
])("%s", (_, isComposing, keyCode, expected) => {
  expect(isComposed({ isComposing, keyCode })).toBe(expected);
});
