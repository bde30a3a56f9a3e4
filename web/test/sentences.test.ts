import { expect, it } from "vitest";
import { sentence } from "../src/page/findings-view.ts";

it("what an error says is a sentence, and names in it stay as they are", () => {
  expect(
    ["no end was found", "minItems is more", "config.json: 404", "mistake.", "Is it?"].map(
      sentence,
    ),
  ).toEqual(["No end was found.", "minItems is more.", "config.json: 404.", "Mistake.", "Is it?"]);
});
