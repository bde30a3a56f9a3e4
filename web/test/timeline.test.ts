import type { EngineEvent } from "lacuna-lm";
import { describe, expect, it } from "vitest";
import { Timeline } from "../src/page/timeline.ts";

const bytes = new Uint8Array([0x61]);
const events: EngineEvent[] = [
  {
    type: "begin",
    length: 3,
    steps: 4,
    promptTokens: 1,
    constrained: true,
    warnings: [],
    ends: [0],
  },
  { type: "step", step: 0, steps: 4, masked: 3 },
  { type: "refusal", step: 0, cell: 2, token: 9, bytes, probability: 0.4, reason: "impossible" },
  { type: "commit", step: 0, cell: 1, token: 5, bytes, probability: 0.9, how: "model", end: false },
  { type: "step", step: 1, steps: 4, masked: 2 },
  {
    type: "commit",
    step: 1,
    cell: 0,
    token: 6,
    bytes,
    probability: 0.8,
    how: "recovery",
    end: false,
  },
];

describe("a run's record", () => {
  const timeline = new Timeline();
  for (const event of events) timeline.add(event);

  it("knows what stood in a cell after each step", () => {
    expect(timeline.length).toBe(3);
    expect(timeline.at(1, 0)).toBeUndefined();
    expect(timeline.at(1, 1)?.token).toBe(5);
    expect(timeline.at(0, 1)).toBeUndefined();
    expect(timeline.at(0, 2)?.how).toBe("recovery");
    expect(timeline.at(2, 2)).toBeUndefined();
  });

  it("counts filled cells and the steps that were taken", () => {
    expect([0, 1, 2].map((step) => timeline.filled(step))).toEqual([0, 1, 2]);
    expect(timeline.taken).toBe(2);
    expect(timeline.plannedSteps).toBe(4);
  });

  it("finds refusals by step and by cell", () => {
    expect(timeline.refusedIn(1)).toHaveLength(1);
    expect(timeline.refusedIn(2)).toHaveLength(0);
    expect(timeline.refusedFor(2, 2)).toHaveLength(1);
    expect(timeline.refusedFor(1, 2)).toHaveLength(0);
  });

  it("tells the text so far, masked cells as a sign", () => {
    expect(timeline.text(1)).toBe("░a░");
    expect(timeline.text(2)).toBe("aa░");
  });

  it("knows that a cell was masked again, and when", () => {
    const again = new Timeline();
    for (const event of events) again.add(event);
    again.add({ type: "remask", step: 2, cell: 1 });
    expect([0, 1, 2, 3].map((steps) => again.at(1, steps)?.token)).toEqual([
      ...[undefined, 5, 5, undefined],
    ]);
    expect(again.filled(3)).toBe(1);
  });
});
