/** Helpers for the forward pass: how many there are, what they are sent, and that they end. */

import { afterEach, expect, test, vi } from "vitest";
import {
  canShareMemory,
  type HelperLike,
  type HelperStart,
  helpersFor,
  startHelpers,
} from "../src/worker/threads.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test.each([
  [undefined, 0],
  [0, 0],
  [1, 0],
  [2, 1],
  [8, 7],
  [128, 15],
])("of %s processors, %s help", (processors, count) => {
  expect(helpersFor(processors)).toBe(count);
});

test("memory is shared only by an isolated page that has the type for it", () => {
  expect(canShareMemory({ crossOriginIsolated: true })).toBe(true);
  expect(canShareMemory({ crossOriginIsolated: false })).toBe(false);
  expect(canShareMemory({})).toBe(false);
  vi.stubGlobal("SharedArrayBuffer", undefined);
  expect(canShareMemory({ crossOriginIsolated: true })).toBe(false);
});

test("each helper gets the module and its memory, and all end together", () => {
  const module = {} as WebAssembly.Module;
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const sent: HelperStart[] = [];
  let alive = 0;
  const helpers = startHelpers(module, memory, 3, () => {
    alive++;
    const postMessage = (start: HelperStart) => sent.push(start);
    return { postMessage, terminate: () => alive--, onmessage: null };
  });
  expect(helpers.count).toBe(3);
  expect(sent).toEqual([1, 2, 3].map(() => ({ module, memory })));
  helpers.stop();
  helpers.stop();
  expect(alive).toBe(0);
});

test.each([
  [2, 0],
  [1, 1_000],
  [0, 1_000],
])("%s of 2 helpers that serve are waited for for %s ms", async (serving, milliseconds) => {
  vi.useFakeTimers();
  const all: HelperLike[] = [];
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const { ready } = startHelpers({} as WebAssembly.Module, memory, 2, () => {
    const helper = { postMessage: () => {}, terminate: () => {}, onmessage: null };
    all.push(helper);
    return helper;
  });
  const before = Date.now();
  for (const { onmessage } of all.slice(0, serving)) onmessage?.({} as MessageEvent);
  const [waited] = await Promise.all([
    ready.then(() => Date.now() - before),
    vi.advanceTimersByTimeAsync(5_000),
  ]);
  expect(waited).toBe(milliseconds);
  expect(vi.getTimerCount()).toBe(0);
});
