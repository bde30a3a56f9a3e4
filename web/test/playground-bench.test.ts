import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Bench, type Listener, type WorkerLike } from "../playground/bench.ts";
import type { FromWorker, Look, ToWorker } from "../playground/protocol.ts";

const LIMIT = 1000;

class FakeWorker implements WorkerLike {
  readonly heard: ToWorker[] = [];
  ended = false;
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;

  postMessage(message: ToWorker): void {
    this.heard.push(message);
  }

  terminate(): void {
    this.ended = true;
  }

  say(data: FromWorker): void {
    this.onmessage?.call(this as unknown as Worker, { data } as MessageEvent<FromWorker>);
  }

  get turns(): number[] {
    return this.heard.flatMap((message) => (message.kind === "look" ? [message.turn] : []));
  }
}

const look: Look = {
  grammar: { kind: "gbnf", text: "", texts: {}, lists: {}, cells: "characters" },
  pieces: [],
  tests: [],
  gap: null,
};

function setUp() {
  const workers: FakeWorker[] = [];
  const listener = { found: vi.fn(), looked: vi.fn(), failed: vi.fn() } satisfies Listener;
  const bench = new Bench({
    start: () => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker;
    },
    assets: { wasm: "", model: "" },
    listener,
    limit: () => LIMIT,
  });
  const newest = () => workers.at(-1) as FakeWorker;
  return { bench, listener, workers, newest };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("only what is found of the newest look is told", () => {
  const { bench, listener, newest } = setUp();
  bench.look(look);
  bench.look(look);
  newest().say({ kind: "ready" });
  newest().say({ kind: "found", turn: 1, finding: { about: "tokens", spellings: [] } });
  expect(listener.found).not.toHaveBeenCalled();
  newest().say({ kind: "found", turn: 2, finding: { about: "tokens", spellings: [] } });
  newest().say({ kind: "looked", turn: 2 });
  expect(listener.found).toHaveBeenCalledTimes(1);
  expect(listener.looked).toHaveBeenCalledTimes(1);
});

test("a worker that says nothing for too long is ended, and the page is told", () => {
  const { bench, listener, workers, newest } = setUp();
  bench.look(look);
  newest().say({ kind: "ready" });
  newest().say({ kind: "begun", turn: 1 });
  vi.advanceTimersByTime(LIMIT - 1);
  newest().say({ kind: "alive" });
  vi.advanceTimersByTime(LIMIT - 1);
  expect(listener.failed).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(workers[0]?.ended).toBe(true);
  expect(listener.failed).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ kind: "time-limit" }),
  );
  bench.look(look);
  expect(workers).toHaveLength(2);
  expect(newest().turns).toEqual([2]);
});

test("what was typed since then has its turn in the next worker", () => {
  const { bench, listener, workers, newest } = setUp();
  bench.look(look);
  newest().say({ kind: "ready" });
  newest().say({ kind: "begun", turn: 1 });
  bench.look(look);
  vi.advanceTimersByTime(LIMIT);
  expect(listener.failed).not.toHaveBeenCalled();
  expect(workers).toHaveLength(2);
  expect(newest().turns).toEqual([2]);
});

test("loading takes as long as it takes", () => {
  const { bench, workers } = setUp();
  bench.look(look);
  vi.advanceTimersByTime(100 * LIMIT);
  expect(workers[0]?.ended).toBe(false);
});

test("a worker with nothing to do is left alone", () => {
  const { bench, workers, newest } = setUp();
  bench.look(look);
  newest().say({ kind: "ready" });
  newest().say({ kind: "looked", turn: 1 });
  vi.advanceTimersByTime(100 * LIMIT);
  expect(workers[0]?.ended).toBe(false);
});

test("every question is settled when the worker is ended, and the next finds the grammar", async () => {
  const { bench, listener, newest } = setUp();
  bench.look(look);
  newest().say({ kind: "ready" });
  newest().say({ kind: "looked", turn: 1 });
  const asked = bench.ask({ ask: "derive", text: "" });
  newest().say({ kind: "broken", fault: { kind: "trap", message: "It broke." } });
  await expect(asked).rejects.toEqual({ kind: "trap", message: "It broke." });
  expect(listener.failed).not.toHaveBeenCalled();

  const again = bench.ask({ ask: "export", dialect: "lark" });
  expect(newest().heard.map(({ kind }) => kind)).toEqual(["look", "ask"]);
  // What the question needs was told before: nobody is to think that something changed.
  newest().say({ kind: "found", turn: 1, finding: { about: "tokens", spellings: [] } });
  newest().say({ kind: "looked", turn: 1 });
  expect(listener.found).not.toHaveBeenCalled();
  expect(listener.looked).toHaveBeenCalledTimes(1);
  newest().say({ kind: "answer", id: 2, answer: "start: " });
  expect(await again).toBe("start: ");
});
