/** What streams are told of a text, and what of it is counted. */

import { expect, it } from "vitest";
import { CommittedPrefix } from "../src/engine/prefix.ts";
import { tokenCounts } from "../src/engine/usage.ts";
import type { EngineEvent } from "../src/events.ts";
import { commit, done } from "./doubles.ts";

const begin = (fixed: readonly [token: number, text: string][] = []): EngineEvent => ({
  type: "begin",
  length: 4,
  steps: 2,
  promptTokens: 5,
  constrained: false,
  warnings: [],
  ends: [0],
  fixed: fixed.map(([token, text], cell) => ({
    cell,
    token,
    bytes: new TextEncoder().encode(text),
  })),
});
const remask = (cell: number): EngineEvent => ({ type: "remask", step: 1, cell });

const cases: [what: string, events: EngineEvent[], said: string[], written: number][] = [
  [
    "an end within, before what stands behind it",
    [begin(), commit(1, "", true), commit(2, "x"), commit(0, "a"), commit(3, "y"), done("a")],
    ["a"],
    1,
  ],
  [
    "an end within, behind what stands behind it",
    [begin(), commit(2, "x"), commit(0, "a"), commit(3, "", true), commit(1, "", true), done("a")],
    ["a"],
    1,
  ],
  ["an end first", [begin(), commit(1, "x"), commit(0, "", true), done("")], [], 0],
  [
    "an end that a template has",
    [
      begin([
        [1, "a"],
        [0, "</s>"],
      ]),
      commit(2, "x"),
      done("a"),
    ],
    ["a"],
    1,
  ],
  ["no end", [begin(), commit(1, "b"), commit(0, "a"), done("ab")], ["ab"], 2],
];

it.each(cases)("%s: the text stops at its first end", (_, events, said, written) => {
  const prefix = new CommittedPrefix();
  expect(events.map((event) => prefix.add(event)).filter(Boolean)).toEqual(said);
  expect(tokenCounts(events)).toEqual({ prompt: 5, written });
});

it("an end that was masked again ends nothing", () => {
  const events = [begin(), commit(0, "a"), commit(1, "", true), remask(1), commit(1, "b")];
  expect(tokenCounts(events).written).toBe(2);
});
