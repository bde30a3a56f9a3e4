import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FramePump } from "../src/page/frame-pump.ts";

/** A page that is seen. */
const seen = () => vi.stubGlobal("document", { hidden: false, addEventListener() {} });

/** Numbers that are handed on, and all that were until now. */
function pumped(pause = 0) {
  const taken: number[] = [];
  const pump = new FramePump<number>(
    (item) => taken.push(item),
    () => pause,
  );
  return { pump, taken };
}

const FORTY = Array.from({ length: 40 }, (_, at) => at);

beforeEach(() => {
  vi.useFakeTimers();
  seen();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("with frames", () => {
  beforeEach(() => {
    const frame = (then: FrameRequestCallback) => setTimeout(() => then(performance.now()), 16);
    vi.stubGlobal("requestAnimationFrame", frame);
    vi.stubGlobal("cancelAnimationFrame", clearTimeout);
  });

  it("hands on a few in each, in order", async () => {
    const { pump, taken } = pumped();
    pump.push(FORTY);
    expect(taken).toEqual([]);
    vi.advanceTimersByTime(16);
    expect(taken).toEqual([0, 1, 2, 3, 4]);
    await vi.advanceTimersByTimeAsync(1_000);
    await pump.drained();
    expect(taken).toEqual(FORTY);
  });

  it("lets nothing come in a pause", () => {
    const { pump, taken } = pumped(90);
    pump.push([1, 2, 3]);
    vi.advanceTimersByTime(16);
    vi.advanceTimersByTime(80);
    expect(taken).toEqual([1]);
    vi.advanceTimersByTime(32);
    expect(taken).toEqual([1, 2]);
  });

  it("hands on all at once where the page is hidden", () => {
    vi.stubGlobal("document", { hidden: true, addEventListener() {} });
    const { pump, taken } = pumped(90);
    pump.push(FORTY);
    expect(taken).toEqual(FORTY);
  });
});

describe("without frames", () => {
  beforeEach(() => {
    vi.stubGlobal("requestAnimationFrame", () => 1);
    vi.stubGlobal("cancelAnimationFrame", () => {});
  });

  it("goes on by a timer after a while", async () => {
    const { pump, taken } = pumped();
    pump.push(FORTY);
    vi.advanceTimersByTime(200);
    expect(taken).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(taken).not.toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    await pump.drained();
    expect(taken).toEqual(FORTY);
  });

  it("keeps the pauses", () => {
    const { pump, taken } = pumped(90);
    pump.push([1, 2]);
    vi.advanceTimersByTime(300);
    expect(taken).toEqual([1]);
    vi.advanceTimersByTime(100);
    expect(taken).toEqual([1, 2]);
  });

  it("waits for frames again once they come", () => {
    const { pump, taken } = pumped();
    const frames: FrameRequestCallback[] = [];
    pump.push([1, 2, 3]);
    vi.stubGlobal("requestAnimationFrame", (then: FrameRequestCallback) => frames.push(then));
    vi.advanceTimersByTime(250);
    expect(taken).toEqual([1]);
    frames.pop()?.(performance.now());
    expect(taken).toEqual([1, 2]);
    vi.advanceTimersByTime(200);
    expect(taken).toEqual([1, 2]);
  });
});
