import { describe, expect, it, vi } from "vitest";
import { Engine, type EngineOptions } from "../src/engine/engine.ts";
import type { EngineEvent } from "../src/events.ts";
import { LacunaError } from "../src/fault.ts";
import { forgetModels } from "../src/index.ts";
import { done, FakeWorker, fakeCaches, files, grammarInfo, info, step, until } from "./doubles.ts";

function connected(options: Partial<EngineOptions> = {}) {
  const workers: FakeWorker[] = [];
  const engine = new Engine({ model: files, ...options }, () => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
  return { engine, workers };
}

/** An engine whose model is loaded, and its worker. */
async function loaded(options: Partial<EngineOptions> = {}) {
  const { engine, workers } = connected(options);
  const loading = engine.load();
  await until(() => workers.length > 0);
  const worker = workers[0] as FakeWorker;
  worker.say({ type: "loaded", id: await worker.next("load"), info });
  await loading;
  return { engine, workers, worker };
}

const hello = { prompt: "say hello", grammar: { regex: "hello" } } as const;

describe("calls", () => {
  it("get each its own answer, whatever the order", async () => {
    const { engine, workers } = connected();
    const first = engine.validate({ regex: "a" });
    const second = engine.validate({ regex: "b" });
    const worker = workers[0] as FakeWorker;
    const ids = [await worker.next("compile", 1), await worker.next("compile", 2)];
    worker.say({ type: "compiled", id: ids[1] as number, info: grammarInfo(2) });
    worker.say({ type: "compiled", id: ids[0] as number, info: grammarInfo(1) });
    expect([(await first).info, (await second).info]).toEqual([grammarInfo(1), grammarInfo(2)]);
  });

  it("say what is wrong with a grammar, and reject where that cannot be found out", async () => {
    const { engine, workers } = connected();
    const wrong = engine.validate({ jsonSchema: "{" });
    const worker = workers[0] as FakeWorker;
    const diagnostics = [{ kind: "json-syntax", message: "no end", severity: "error" as const }];
    const fault = { kind: "grammar", message: "wrong", diagnostics };
    worker.say({ type: "failed", id: await worker.next("compile"), fault, fatal: false });
    expect(await wrong).toEqual({ valid: false, diagnostics });

    const unknown = engine.validate({ regex: "a" });
    await worker.next("compile", 2);
    worker.crash("out of memory");
    await expect(unknown).rejects.toMatchObject({ kind: "worker" });
  });

  it("are refused before anything is started if their signal was aborted", async () => {
    const { engine, workers } = connected();
    const signal = AbortSignal.abort("not now");
    const calls = [
      engine.availability({ signal }),
      engine.load({ signal }),
      engine.validate({ regex: "a" }, { signal }),
      engine.generate({ ...hello, signal }).result,
    ];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ kind: "cancelled", cause: "not now" });
    }
    expect(workers.flatMap(({ sent }) => sent)).toEqual([]);
  });
});

describe("what is no model, and what is no grammar", () => {
  const wrong = (thing: unknown) => thing as never;

  it("is said in words", async () => {
    for (const model of [undefined, null, 5, ""])
      expect(() => connected({ model: wrong(model) })).toThrow(/it must be the address of a model/);
    for (const model of [{}, { ...files, weights: {} }, { ...files, config: "/config.json" }]) {
      const { engine } = connected({ model: wrong(model) });
      for (const call of [engine.load(), engine.generate(hello).result])
        await expect(call).rejects.toMatchObject({
          kind: "invalid-input",
          message: expect.stringMatching(/^A model is the address of its folder/),
        });
    }
    const { engine } = await loaded();
    for (const grammar of [undefined, "a+", { regexp: "a" }, { regex: "a", jsonSchema: {} }]) {
      const call = engine.generate({ prompt: "hello", grammar: wrong(grammar) }).result;
      await expect(call).rejects.toMatchObject({
        kind: "invalid-input",
        message: expect.stringMatching(/^A grammar is one of/),
      });
    }
  });
});

describe("what makes no sense in a call", () => {
  it("is refused by name, before anything is started", async () => {
    const { engine, workers } = connected();
    for (const [wrong, words] of [
      [{ prompt: undefined }, "prompt is undefined: it must be a text."],
      [{ steps: -1 }, "steps is -1: it must be a whole number from 1 up."],
      [{ length: 0 }, "length is 0: it must be a whole number from 1 up."],
      [{ seed: 0.5 }, "seed is 0.5: it must be a whole number from 0 up."],
      [{ task: 7 }, "task is 7: it must be a text."],
    ] as const) {
      const call = engine.generate({ ...hello, ...wrong } as never).result;
      await expect(call).rejects.toMatchObject({ kind: "invalid-input", message: words });
    }
    for (const template of [undefined, "a", ["a", [1]], ["a", -1]]) {
      const call = engine.infill({ ...hello, template } as never).result;
      await expect(call).rejects.toMatchObject({
        kind: "invalid-input",
        message: expect.stringContaining("it must be a list of texts and gaps"),
      });
    }
    expect(workers).toEqual([]);
  });
});

describe("an engine that is disposed of", () => {
  it("fails what is open, also while the model's record is fetched, and what comes later", async () => {
    const stalled = vi.spyOn(globalThis, "fetch").mockReturnValue(new Promise(() => {}));
    const { engine, workers } = connected({ model: "http://localhost/model/" });
    const open = [engine.load(), engine.generate(hello).result];
    await until(() => stalled.mock.calls.length > 0);
    engine.dispose();
    for (const call of [...open, engine.load(), engine.generate(hello).result])
      await expect(call).rejects.toMatchObject({ kind: "disposed" });
    expect(workers).toEqual([]);
    stalled.mockRestore();
  });
});

describe("the device", () => {
  it("is that which was asked for last, also behind a death", async () => {
    const { engine, workers, worker } = await loaded({ device: "gpu" });
    const moved = engine.load({ device: "cpu" });
    worker.say({ type: "loaded", id: await worker.next("load", 2), info });
    await moved;
    worker.crash("out of memory");
    const text = engine.generate(hello).result;
    await until(() => workers.length === 2);
    await workers[1]?.next("load");
    expect(workers[1]?.sent[0]).toMatchObject({ type: "load", device: "cpu" });
    engine.dispose();
    await expect(text).rejects.toMatchObject({ kind: "disposed" });
  });

  it("stays what it was if it could not be had", async () => {
    const { engine, worker } = await loaded({ device: "cpu" });
    const moved = engine.load({ device: "gpu" });
    const fault = { kind: "unavailable", message: "no card" };
    worker.say({ type: "failed", id: await worker.next("load", 2), fault, fatal: false });
    await expect(moved).rejects.toMatchObject({ kind: "unavailable" });
    void engine.load();
    await worker.next("load", 3);
    expect(worker.sent.at(-1)).toMatchObject({ type: "load", device: "cpu" });
  });
});

describe("a model that leaves its device", () => {
  it("is said to be where it runs, and is put back where that is asked for", async () => {
    const { engine, worker } = await loaded({ device: "gpu" });
    const text = engine.generate(hello).result;
    const device = { device: "cpu", threads: 2, why: "GPU lost; went on on the CPU" };
    const moved = { ...info, device };
    const id = await worker.next("generate");
    const move = { type: "move", step: 1, device: "cpu", message: device.why } as const;
    worker.say({ type: "events", id, events: [move], info: moved });
    worker.say({ type: "events", id, events: [done("hello")] });
    worker.say({ type: "finished", id });
    await text;
    expect(engine.model).toEqual(moved);
    expect(await engine.load()).toEqual(moved);
    const back = engine.load({ device: "gpu" });
    worker.say({ type: "loaded", id: await worker.next("load", 2), info });
    expect(await back).toEqual(info);
    expect(engine.model).toEqual(info);
  });
});

describe("what is told of a load", () => {
  it("is told to all, whoever throws", async () => {
    const uncaught = vi.fn();
    const soon = globalThis.queueMicrotask;
    vi.stubGlobal("queueMicrotask", (task: () => void) =>
      soon(() => {
        try {
          task();
        } catch (error) {
          uncaught(error);
        }
      }),
    );
    try {
      const all: unknown[] = [];
      const worker = new FakeWorker();
      const options = { model: files, onProgress: (progress: unknown) => all.push(progress) };
      const engine = new Engine(options, () => worker);
      const fails = () => {
        throw new Error("mine");
      };
      const loading = [fails, (progress: unknown) => all.push(progress)].map((onProgress) =>
        engine.load({ onProgress }),
      );
      const id = await worker.next("load");
      worker.say({ type: "progress", id, loaded: 1, total: 2 });
      worker.say({ type: "loaded", id, info });
      expect(await Promise.all(loading)).toEqual([info, info]);
      expect(all).toEqual([
        { loaded: 1, total: 2 },
        { loaded: 1, total: 2 },
      ]);
      expect(uncaught).toHaveBeenCalledExactlyOnceWith(new Error("mine"));
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

it("takes a compiled grammar that a framework watches", async () => {
  const { engine, workers } = connected();
  const source = new Proxy({ kind: "regex", text: "a" } as const, {});
  const asked = engine.validate({ source, options: {} } as never);
  const worker = workers[0] as FakeWorker;
  const id = await worker.next("compile");
  expect(structuredClone(worker.sent[0])).toMatchObject({ grammar: { kind: "regex", text: "a" } });
  worker.say({ type: "compiled", id, info: grammarInfo(1) });
  expect((await asked).valid).toBe(true);
});

describe("a model's record", () => {
  const answered = async (response: Response | Error, model = "http://localhost/m?v=2") => {
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      if (response instanceof Error) throw response;
      return response;
    });
    const { engine, workers } = connected({ model });
    const load = engine.load();
    load.catch(() => {});
    await Promise.race([load.catch(() => {}), until(() => workers.length > 0)]);
    await new Promise((resolve) => setTimeout(resolve));
    fetched.mockRestore();
    return { load, sent: workers[0]?.sent[0] };
  };
  const weights = "http://localhost/m/model.safetensors?v=2";

  it("need not be there", async () => {
    for (const [status, type] of [
      [404, "text/plain"],
      [200, "text/html"],
    ] as const) {
      const headers = { "content-type": type };
      const { sent } = await answered(new Response("<html>", { status, headers }));
      expect(sent).toMatchObject({ type: "load", files: { weights: [{ url: weights }] } });
    }
  });

  it("is a fault where it is there and cannot be had", async () => {
    for (const [response, kind] of [
      [new Response("", { status: 503 }), "network"],
      [new TypeError("no way"), "network"],
      [new Response('{"files": {'), "integrity"],
      [new Response("null"), "integrity"],
      [new Response('{"files": {"config.json": {"sha256": "0x1"}}}'), "integrity"],
    ] as const) {
      const { load, sent } = await answered(response);
      await expect(load).rejects.toMatchObject({
        kind,
        message: expect.stringContaining("http://localhost/m/model.json?v=2"),
      });
      expect(sent).toBeUndefined();
    }
  });

  it("is kept, and taken from there where the server cannot be reached", async () => {
    const sha256 = "a".repeat(64);
    const record = { files: { "model.safetensors": { bytes: 3, sha256 } } };
    vi.stubGlobal("caches", fakeCaches());
    vi.stubGlobal("Worker", class {});
    try {
      const model = "http://localhost/m";
      const away = new TypeError("no way");
      await expect((await answered(away, model)).load).rejects.toMatchObject({ kind: "network" });
      await answered(Response.json(record), model);
      const { sent } = await answered(away, model);
      expect(sent).toMatchObject({ type: "load", files: { weights: [{ bytes: 3, sha256 }] } });

      vi.stubGlobal("fetch", () => Promise.reject(away));
      expect(await connected({ model }).engine.availability()).toBe("downloadable");
      await forgetModels();
      await expect(connected({ model }).engine.availability()).rejects.toMatchObject({
        kind: "network",
      });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("is not taken from there where the server answers", async () => {
    const record = { files: { "config.json": { bytes: 3, sha256: "a".repeat(64) } } };
    vi.stubGlobal("caches", fakeCaches());
    try {
      const model = "http://localhost/m";
      await answered(Response.json(record), model);
      const busy = await answered(new Response("", { status: 503 }), model);
      await expect(busy.load).rejects.toMatchObject({ kind: "network" });
      const gone = await answered(new Response("", { status: 404 }), model);
      expect(gone.sent).toMatchObject({ type: "load" });
      const away = await answered(new TypeError("no way"), model);
      await expect(away.load).rejects.toMatchObject({ kind: "network" });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("is not asked for where the files are given, whose addresses are the page's", async () => {
    vi.stubGlobal("document", { baseURI: "http://localhost/page/" });
    const given = new Proxy({ url: "w", sha256: "A".repeat(64), more: () => {} }, {});
    const { engine, workers } = connected({ model: { ...files, weights: given } });
    void engine.load().catch(() => {});
    await until(() => (workers[0]?.sent.length ?? 0) > 0);
    vi.unstubAllGlobals();
    const [sent] = workers[0]?.sent ?? [];
    expect(structuredClone(sent)).toMatchObject({
      files: { weights: [{ url: "http://localhost/page/w", sha256: "a".repeat(64) }] },
    });
  });

  it("names the shards that weights are parted into", async () => {
    const shard = (at: number) => `model-0000${at}-of-00002.safetensors`;
    const sha256 = "a".repeat(64);
    const of = (names: readonly string[]) =>
      Response.json({ files: Object.fromEntries(names.map((name) => [name, { sha256 }])) });
    const { sent } = await answered(of(["config.json", shard(1), shard(2)]));
    const url = (name: string) => `http://localhost/m/${name}?v=2`;
    const weights = [1, 2].map((at) => ({ url: url(shard(at)), sha256 }));
    expect(sent).toMatchObject({ type: "load", files: { weights, config: { sha256 } } });
    expect((sent as { files: object }).files).not.toHaveProperty("index");
    // One file is taken before shards.
    const both = await answered(of(["model.safetensors", shard(1)]));
    const whole = { url: url("model.safetensors"), sha256 };
    expect(both.sent).toMatchObject({ files: { weights: [whole] } });
    // Nothing is known of weights: whether there are shards will be seen.
    const none = await answered(of(["config.json"]));
    const index = { url: url("model.safetensors.index.json") };
    expect(none.sent).toMatchObject({ files: { weights: [{ url: whole.url }], index } });
  });

  it("names no shards elsewhere", async () => {
    const away = ["../a", "a\\b", "https://b.c/a", "\ud800"].map((name) => `${name}.safetensors`);
    for (const name of away) {
      const { load, sent } = await answered(Response.json({ files: { [name]: {} } }));
      const message = expect.stringContaining(JSON.stringify(name));
      await expect(load).rejects.toMatchObject({ kind: "integrity", message });
      expect(sent).toBeUndefined();
    }
  });

  it("need not be there for shards that are given", async () => {
    const weights = [{ url: "http://localhost/1" }, { url: "http://localhost/2", bytes: 3 }];
    const { engine, workers } = connected({ model: { ...files, weights } });
    void engine.load().catch(() => {});
    await until(() => (workers[0]?.sent.length ?? 0) > 0);
    expect(workers[0]?.sent[0]).toMatchObject({ files: { weights } });
    for (const [wrong, message] of [
      [[], /^A model is/],
      [[{}], /^A model is/],
      [[weights[0], { url: "http://localhost/2", sha256: "1" }], /model\.weights\[1\]\.sha256/],
    ] as const) {
      const { engine } = connected({ model: { ...files, weights: wrong as never } });
      const refused = { kind: "invalid-input", message: expect.stringMatching(message) };
      await expect(engine.load()).rejects.toMatchObject(refused);
    }
  });
});

describe("asking what is there", () => {
  it("can be given up while the server does not answer", async () => {
    vi.stubGlobal("Worker", class {});
    vi.stubGlobal("fetch", () => new Promise(() => {}));
    try {
      const engine = new Engine({ model: "http://localhost/model/" }, () => new FakeWorker());
      const abort = new AbortController();
      const asked = engine.availability({ signal: abort.signal });
      abort.abort("not now");
      await expect(asked).rejects.toMatchObject({ kind: "cancelled", cause: "not now" });
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("loading", () => {
  it("tells its progress, and the model's facts", async () => {
    const { engine, workers } = connected();
    const seen: unknown[] = [];
    const loading = engine.load({ onProgress: (progress) => seen.push(progress) });
    await until(() => workers.length > 0);
    const worker = workers[0] as FakeWorker;
    const id = await worker.next("load");
    expect(await engine.availability()).toBe("downloading");
    worker.say({ type: "progress", id, loaded: 3, total: 9 });
    worker.say({ type: "progress", id, loaded: 9, total: 9 });
    worker.say({ type: "loaded", id, info });
    expect(await loading).toEqual(info);
    expect(engine.model).toEqual(info);
    expect(await engine.availability()).toBe("available");
    expect(seen).toEqual([
      { loaded: 3, total: 9 },
      { loaded: 9, total: 9 },
    ]);
  });

  it("happens once for all who wait, and anew for another device", async () => {
    const { engine, worker } = await loaded();
    await Promise.all([engine.load(), engine.load({ device: "auto" })]);
    expect(worker.sent).toHaveLength(1);
    void engine.load({ device: "cpu" }).catch(() => {});
    await worker.next("load", 2);
    expect(worker.sent.at(-1)).toMatchObject({ type: "load", device: "cpu", files });
    expect(engine.model).toBeUndefined();
  });

  it("goes on for whoever still waits, and is given up when nobody does", async () => {
    const { engine, workers } = connected();
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [engine.load({ signal: first.signal }), engine.load({ signal: second.signal })];
    await until(() => workers.length > 0);
    const worker = workers[0] as FakeWorker;
    const id = await worker.next("load");
    first.abort();
    await expect(calls[0]).rejects.toMatchObject({ kind: "cancelled", name: "AbortError" });
    expect(worker.sent).toHaveLength(1);
    second.abort();
    await expect(calls[1]).rejects.toMatchObject({ kind: "cancelled" });
    expect(worker.sent.at(-1)).toEqual({ type: "cancel", id });
    // Whoever comes now does not wait for what was given up.
    const again = engine.load();
    worker.say({ type: "loaded", id: await worker.next("load", 2), info });
    expect(await again).toEqual(info);
  });

  it("that is done is not given up with a call that just began", async () => {
    const { engine, worker } = await loaded();
    const abort = new AbortController();
    const given = engine.generate({ ...hello, signal: abort.signal });
    abort.abort();
    await expect(given.result).rejects.toMatchObject({ kind: "cancelled" });
    expect(engine.model).toEqual(info);
    const { result } = engine.generate(hello);
    worker.say({ type: "finished", id: await worker.next("generate") });
    await result.catch(() => {});
    expect(worker.sent.filter(({ type }) => type === "load")).toHaveLength(1);
  });

  it("is given up when one signal gives up all who wait", async () => {
    const { engine, workers } = connected();
    const abort = new AbortController();
    const { signal } = abort;
    const calls = [engine.load({ signal }), engine.generate({ ...hello, signal }).result];
    await until(() => workers.length > 0);
    const worker = workers[0] as FakeWorker;
    const id = await worker.next("load");
    abort.abort();
    for (const call of calls) await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    expect(worker.sent).toEqual([expect.anything(), { type: "cancel", id }]);
  });

  it("that failed is tried again by the next call", async () => {
    const { engine, workers } = connected();
    const failing = engine.load();
    await until(() => workers.length > 0);
    const worker = workers[0] as FakeWorker;
    const fault = { kind: "network", message: "nobody there" };
    worker.say({ type: "failed", id: await worker.next("load"), fault, fatal: false });
    await expect(failing).rejects.toMatchObject({ kind: "network" });
    const again = engine.load();
    worker.say({ type: "loaded", id: await worker.next("load", 2), info });
    expect(await again).toEqual(info);
  });
});

describe("writing", () => {
  it("hands events on in order, and what came of them", async () => {
    const { engine, worker } = await loaded();
    const run = engine.generate(hello);
    const id = await worker.next("generate");
    worker.say({ type: "events", id, events: [step(1)] });
    worker.say({ type: "events", id, events: [step(2), done("hello")] });
    worker.say({ type: "finished", id });
    const seen: EngineEvent[] = [];
    for await (const event of run) seen.push(event);
    expect(seen).toEqual([step(1), step(2), done("hello")]);
    expect(await run.result).toMatchObject({ text: "hello", value: "hello", events: seen });
  });

  it("hands all events on to whoever reads them, at the same time or when it is over", async () => {
    const { engine, worker } = await loaded();
    const run = engine.generate(hello);
    const read = async () => {
      const seen: EngineEvent[] = [];
      for await (const event of run) seen.push(event);
      return seen;
    };
    const readers = [read(), read()];
    const id = await worker.next("generate");
    worker.say({ type: "events", id, events: [step(1)] });
    await new Promise((resolve) => setTimeout(resolve));
    worker.say({ type: "events", id, events: [step(2), done("hello")] });
    worker.say({ type: "finished", id });
    await run.result;
    for (const seen of [...readers, read()])
      expect(await seen).toEqual([step(1), step(2), done("hello")]);
  });

  it("hands events on as they come to a reader that waits", async () => {
    const { engine, worker } = await loaded();
    const reader = engine.generate(hello)[Symbol.asyncIterator]();
    const next = reader.next();
    const id = await worker.next("generate");
    worker.say({ type: "events", id, events: [step(1)] });
    expect((await next).value).toEqual(step(1));
  });

  it("loads the model first if that was not done", async () => {
    const { engine, workers } = connected();
    const { result } = engine.generate(hello);
    await until(() => workers.length > 0);
    const worker = workers[0] as FakeWorker;
    worker.say({ type: "loaded", id: await worker.next("load"), info });
    const id = await worker.next("generate");
    expect(worker.sent.at(-1)).toMatchObject({
      request: { request: "say hello", length: 64, steps: 16, decoding: {} },
    });
    worker.say({ type: "events", id, events: [done("hello")] });
    worker.say({ type: "finished", id });
    expect((await result).text).toBe("hello");
  });

  it("hands a template over, whose gaps are to be filled", async () => {
    const { engine, worker } = await loaded();
    const template = ["{", [1, 4], "}"] as const;
    const { result } = engine.infill({ prompt: "", grammar: { regex: ".*" }, template });
    const id = await worker.next("generate");
    expect(worker.sent.at(-1)).toMatchObject({ template });
    worker.say({ type: "events", id, events: [done("{a}")] });
    worker.say({ type: "finished", id });
    expect((await result).value).toBe("{a}");
  });

  it("gives up at once, and tells the worker", async () => {
    const { engine, worker } = await loaded();
    const abort = new AbortController();
    const run = engine.generate({ ...hello, signal: abort.signal });
    const id = await worker.next("generate");
    abort.abort();
    await expect(run.result).rejects.toMatchObject({ kind: "cancelled" });
    expect(worker.sent.at(-1)).toEqual({ type: "cancel", id });
    // The step that was under way still says something.
    worker.say({ type: "events", id, events: [step(1)] });
    worker.say({ type: "cancelled", id });
    await expect(run[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: "cancelled" });
  });
});

describe("a worker that dies", () => {
  it("settles everything, and the next call starts afresh", async () => {
    const { engine, workers, worker } = await loaded();
    const run = engine.generate(hello);
    const reading = (async () => {
      for await (const _ of run);
    })();
    const open = [run.result, reading, engine.validate({ regex: "" })];
    await worker.next("generate");
    worker.crash("out of memory");
    for (const call of open) await expect(call).rejects.toMatchObject({ kind: "worker" });
    expect(worker.terminated).toBe(true);
    expect(engine.model).toBeUndefined();

    const again = engine.generate(hello);
    await until(() => workers.length === 2);
    const fresh = workers[1] as FakeWorker;
    fresh.say({ type: "loaded", id: await fresh.next("load"), info });
    const id = await fresh.next("generate");
    // What the old one still says is not heard.
    worker.say({ type: "failed", id, fault: { kind: "old", message: "" }, fatal: true });
    fresh.say({ type: "events", id, events: [done("hello")] });
    fresh.say({ type: "finished", id });
    expect((await again.result).text).toBe("hello");
  });

  it("keeps the kind of a trap for all who were waiting", async () => {
    const { engine, worker } = await loaded();
    const run = engine.generate(hello);
    const other = engine.validate({ regex: "" });
    const fault = { kind: "trap", message: "unreachable" };
    worker.say({ type: "failed", id: await worker.next("generate"), fault, fatal: true });
    await expect(run.result).rejects.toMatchObject({ kind: "trap" });
    await expect(other).rejects.toMatchObject({ kind: "trap" });
  });
});

describe("a worker that is not yet ready", () => {
  const starting = (serves = false) => {
    const worker = new FakeWorker(serves);
    const engine = new Engine({ model: files, threads: false }, () => worker);
    return { worker, engine };
  };

  it("is told nothing, and then everything in order", async () => {
    const { worker, engine } = starting();
    const abort = new AbortController();
    const calls = [
      engine.validate({ regex: "a" }),
      engine.validate({ regex: "b" }, { signal: abort.signal }),
      engine.validate({ regex: "c" }),
    ];
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([worker.configured, worker.sent]).toEqual([[], []]);
    abort.abort();
    await expect(calls[1]).rejects.toMatchObject({ kind: "cancelled" });
    worker.say({ type: "ready" });
    await worker.next("compile", 2);
    expect(worker.configured).toEqual([{ type: "configure", threads: false }]);
    expect(worker.sent).toMatchObject([
      { type: "compile", grammar: { text: "a" } },
      { type: "compile", grammar: { text: "c" } },
    ]);
    engine.dispose();
    for (const call of calls) await call.catch(() => {});
  });

  it("fails what waits for it if it never is", async () => {
    vi.useFakeTimers();
    try {
      const { worker, engine } = starting();
      const call = engine.validate({ regex: "a" });
      const refused = expect(call).rejects.toMatchObject({
        kind: "worker",
        message: "The engine's worker did not call serve() within 60 seconds.",
      });
      await vi.advanceTimersByTimeAsync(59_000);
      expect(worker.terminated).toBe(false);
      await vi.advanceTimersByTimeAsync(2_000);
      await refused;
      expect(worker.terminated).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it("has all the time in the world once it was", async () => {
    vi.useFakeTimers();
    try {
      const { worker, engine } = starting(true);
      const call = engine.validate({ regex: "a" });
      await vi.advanceTimersByTimeAsync(120_000);
      expect(vi.getTimerCount()).toBe(0);
      worker.say({ type: "compiled", id: worker.sent[0]?.id ?? 0, info: grammarInfo(1) });
      expect(await call).toMatchObject({ valid: true });
    } finally {
      vi.useRealTimers();
    }
  });
});

it.each([
  ["a Promise", () => Promise.resolve(new FakeWorker())],
  ["undefined", () => undefined],
])("refuses %s for a worker", async (what, worker) => {
  const engine = new Engine({ model: files, worker: worker as never });
  for (const call of [engine.load(), engine.validate({ regex: "a" })]) {
    await expect(call).rejects.toMatchObject({
      kind: "invalid-input",
      message: `worker gives ${what}: it must give a Worker, at once.`,
    });
  }
  engine.dispose();
});

describe("an engine that was disposed of", () => {
  it("says so where it is asked what is there", async () => {
    const { engine } = connected();
    engine.dispose();
    await expect(engine.availability()).rejects.toMatchObject({ kind: "disposed" });
  });

  it("fails what is open and what comes later", async () => {
    const { engine, worker } = await loaded();
    const run = engine.generate(hello);
    await worker.next("generate");
    await engine[Symbol.asyncDispose]();
    await expect(run.result).rejects.toMatchObject({ kind: "disposed" });
    await expect(engine.load()).rejects.toBeInstanceOf(LacunaError);
    expect(worker.terminated).toBe(true);
  });
});

it("says where it cannot run, and fails there with words for it", async () => {
  // Where these tests run there is no worker.
  const engine = new Engine({ model: files });
  expect(await engine.availability()).toBe("unavailable");
  const folder = new Engine({ model: "http://localhost/model/" });
  for (const call of [
    engine.generate(hello).result,
    engine.validate({ regex: "a" }),
    folder.generate(hello).result,
    folder.load(),
  ])
    await expect(call).rejects.toMatchObject({ kind: "unavailable" });
  const worker = () => {
    throw new DOMException("forbidden by the policy", "SecurityError");
  };
  const refused = new Engine({ model: files, worker }).generate(hello).result;
  await expect(refused).rejects.toMatchObject({
    kind: "worker",
    message: expect.stringContaining("forbidden by the policy"),
  });
});

it("tells its worker where the module is", async () => {
  const { worker } = await loaded({ wasmUrl: "https://cdn.test/engine.wasm", threads: false });
  expect(worker.configured).toEqual([
    { type: "configure", wasmUrl: "https://cdn.test/engine.wasm", threads: false },
  ]);
});
