import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../src/engine.ts";
import { EngineClient } from "../src/worker/client.ts";
import { FakeWorker, grammarInfo, info, request } from "./doubles.ts";

function connected() {
  const workers: FakeWorker[] = [];
  const client = new EngineClient(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
  return { client, workers, worker: workers[0] as FakeWorker };
}

const step = (number: number): EngineEvent => ({ type: "step", step: number, steps: 3, masked: 1 });

describe("the client", () => {
  it("gives each call its own answer, whatever the order", async () => {
    const { client, worker } = connected();
    const first = client.compile({ kind: "regex", text: "a" });
    const second = client.compile({ kind: "regex", text: "b" });
    const [a, b] = worker.sent.map(({ id }) => id);
    worker.say({ type: "compiled", id: b as number, info: grammarInfo(2) });
    worker.say({ type: "compiled", id: a as number, info: grammarInfo(1) });
    expect([await first, await second]).toEqual([grammarInfo(1), grammarInfo(2)]);
  });

  it("tells a load's progress", async () => {
    const { client, worker } = connected();
    const seen: [number, number | null][] = [];
    const loading = client.load("http://localhost/m/", (loaded, total) =>
      seen.push([loaded, total]),
    );
    worker.say({ type: "progress", id: 1, loaded: 3, total: 9 });
    worker.say({ type: "progress", id: 1, loaded: 9, total: 9 });
    worker.say({ type: "loaded", id: 1, info });
    expect(await loading).toEqual(info);
    expect(seen).toEqual([
      [3, 9],
      [9, 9],
    ]);
  });

  it("hands a run's events on in order, and all of them at the end", async () => {
    const { client, worker } = connected();
    const run = client.generate(request);
    worker.say({ type: "events", id: 1, events: [step(1)] });
    worker.say({ type: "events", id: 1, events: [step(2), step(3)] });
    worker.say({ type: "finished", id: 1 });
    const seen: EngineEvent[] = [];
    for await (const events of run) seen.push(...events);
    expect(seen).toEqual([step(1), step(2), step(3)]);
    expect(await run.result).toEqual(seen);
  });

  it("hands events on as they come to a reader that waits", async () => {
    const { client, worker } = connected();
    const reader = client.generate(request)[Symbol.asyncIterator]();
    const next = reader.next();
    await Promise.resolve();
    worker.say({ type: "events", id: 1, events: [step(1)] });
    expect((await next).value).toEqual([step(1)]);
  });

  it("keeps a fault's kind and diagnostics", async () => {
    const { client, worker } = connected();
    const compiling = client.compile({ kind: "jsonSchema", text: "{" });
    const diagnostics = [{ kind: "json-syntax", message: "no end", severity: "error" as const }];
    const fault = { kind: "grammar", message: "wrong", diagnostics };
    worker.say({ type: "failed", id: 1, fault, fatal: false });
    await expect(compiling).rejects.toMatchObject({
      kind: "grammar",
      message: "wrong",
      diagnostics,
    });
    expect(client.death).toBeUndefined();
  });

  it("passes a cancellation on, and fails with the kind `cancelled`", async () => {
    const { client, worker } = connected();
    const abort = new AbortController();
    const run = client.generate(request, { signal: abort.signal });
    abort.abort();
    expect(worker.sent.at(-1)).toEqual({ type: "cancel", id: 1 });
    worker.say({ type: "cancelled", id: 1 });
    await expect(run.result).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("does not start a run that was given up before", async () => {
    const { client, worker } = connected();
    const run = client.generate(request, { signal: AbortSignal.abort() });
    await expect(run.result).rejects.toMatchObject({ kind: "cancelled" });
    expect(worker.sent).toEqual([]);
  });

  it("settles everything when the worker dies", async () => {
    const { client, worker } = connected();
    const run = client.generate(request);
    const reading = (async () => {
      for await (const _ of run);
    })();
    const open = [
      client.load("x"),
      client.compile({ kind: "regex", text: "" }),
      run.result,
      reading,
    ];
    worker.crash("out of memory");
    for (const call of open) await expect(call).rejects.toMatchObject({ kind: "worker" });
    expect(worker.terminated).toBe(true);
    await expect(client.load("x")).rejects.toMatchObject({ kind: "worker" });
  });

  it("settles the others when one call traps, keeping the kind", async () => {
    const { client, worker } = connected();
    const run = client.generate(request);
    const other = client.compile({ kind: "regex", text: "" });
    worker.say({
      type: "failed",
      id: 1,
      fault: { kind: "trap", message: "unreachable" },
      fatal: true,
    });
    await expect(run.result).rejects.toMatchObject({ kind: "trap" });
    await expect(other).rejects.toMatchObject({ kind: "trap" });
    expect(client.death?.kind).toBe("trap");
  });

  it("works again after a restart, deaf to the old worker", async () => {
    const { client, worker, workers } = connected();
    const lost = client.compile({ kind: "regex", text: "" });
    client.restart();
    await expect(lost).rejects.toMatchObject({ kind: "worker" });
    const found = client.compile({ kind: "regex", text: "" });
    worker.crash("too late");
    worker.say({ type: "failed", id: 2, fault: { kind: "old", message: "" }, fatal: true });
    workers[1]?.say({ type: "compiled", id: 2, info: grammarInfo(7) });
    expect(await found).toEqual(grammarInfo(7));
  });
});
