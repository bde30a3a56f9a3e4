import { describe, expect, it } from "vitest";
import { cancelled } from "../src/fault.ts";
import type { OfCall } from "../src/worker/protocol.ts";
import { fakeEngine, fakeServer, files, grammarInfo, info, request, until } from "./doubles.ts";

const lastWords = (posted: readonly OfCall[]) =>
  posted
    .filter(({ type }) => type !== "events" && type !== "progress")
    .map(({ type, id }) => `${type} ${id}`);

async function loaded(engine = fakeEngine(), changes = {}) {
  const { server, posted } = fakeServer(engine, changes);
  server.receive({ type: "load", id: 1, files, device: "auto" });
  await until(() => posted.some(({ type }) => type === "loaded"));
  posted.length = 0;
  return { server, posted, engine };
}

describe("the worker's loop", () => {
  it("runs one generation after the other, in order", async () => {
    const { server, posted, engine } = await loaded();
    server.receive({ type: "generate", id: 2, request });
    server.receive({ type: "generate", id: 3, request });
    await until(() => lastWords(posted).length === 2);
    expect(posted.map(({ type, id }) => `${type} ${id}`)).toEqual([
      ...["events 2", "events 2", "events 2", "finished 2"],
      ...["events 3", "events 3", "events 3", "finished 3"],
    ]);
    expect(engine.freed).toBe(2);
  });

  it("lets texts of the same turns take a step each, whoever comes later first", async () => {
    let came = false;
    const { server, posted, engine } = await loaded(
      fakeEngine((step) => {
        if (came || step < 2) return;
        came = true;
        server.receive({ type: "generate", id: 5, request });
        server.receive({ type: "generate", id: 4, request, turns: "a" });
      }),
    );
    server.receive({ type: "generate", id: 2, request, turns: "a" });
    server.receive({ type: "generate", id: 3, request: { ...request, steps: 1 }, turns: "a" });
    await until(() => lastWords(posted).length === 4);
    expect(posted.map(({ type, id }) => `${type} ${id}`)).toEqual([
      ...["events 2", "events 3", "events 2", "finished 3", "events 4", "events 4"],
      ...["events 2", "events 4", "finished 2", "finished 4"],
      ...["events 5", "events 5", "events 5", "finished 5"],
    ]);
    expect(engine.freed).toBe(4);
  });

  it("tells the model's facts anew where it has moved", async () => {
    const engine = fakeEngine();
    const { start } = engine;
    const move = { type: "move", step: 2, device: "cpu", message: "GPU lost" } as const;
    engine.start = async (...given) => {
      const run = await start.apply(engine, given);
      let steps = 0;
      const step = run.step;
      run.step = async () => [...(await step()), ...(++steps === 2 ? [move] : [])];
      return run;
    };
    const { server, posted } = await loaded(engine);
    server.receive({ type: "generate", id: 2, request });
    await until(() => lastWords(posted).length === 1);
    const told = posted.map((message) => message.type === "events" && message.info);
    expect(told).toEqual([undefined, info, undefined, false]);
  });

  it("cancels one of those that take turns, and leaves the others", async () => {
    const { server, posted } = await loaded(
      fakeEngine((step) => {
        if (step === 2) server.receive({ type: "cancel", id: 3 });
      }),
    );
    server.receive({ type: "generate", id: 2, request, turns: "a" });
    server.receive({ type: "generate", id: 3, request, turns: "a" });
    await until(() => lastWords(posted).length === 2);
    expect(lastWords(posted)).toEqual(["cancelled 3", "finished 2"]);
  });

  it("tells of a trap that no call could catch, and of nothing else", async () => {
    const engine = fakeEngine();
    engine.start = async () => ({ done: false, step: () => new Promise(() => {}), free() {} });
    const { server, posted } = await loaded(engine);
    server.receive({ type: "generate", id: 2, request });
    await until(() => true);
    expect(server.broke(new Error("somebody else's"))).toBe(false);
    expect(posted).toEqual([]);
    expect(server.broke(new WebAssembly.RuntimeError("unreachable"))).toBe(true);
    expect(posted).toMatchObject([{ type: "failed", id: 2, fatal: true, fault: { kind: "trap" } }]);
  });

  it("cancels within the step that is under way", async () => {
    const { server, posted } = await loaded(
      fakeEngine((step) => {
        if (step === 2) server.receive({ type: "cancel", id: 2 });
      }),
    );
    server.receive({ type: "generate", id: 2, request: { ...request, steps: 100 } });
    await until(() => lastWords(posted).length === 1);
    expect(posted.filter(({ type }) => type === "events")).toHaveLength(2);
    expect(lastWords(posted)).toEqual(["cancelled 2"]);
  });

  it("lets a step learn within itself that it was cancelled", async () => {
    const engine = fakeEngine();
    const start = engine.start.bind(engine);
    let said: boolean | undefined;
    engine.start = async (call, template, turn) => {
      const run = await start(call, template, turn);
      const step = async () => {
        if (await turn()) server.receive({ type: "cancel", id: 2 });
        said = await turn();
        throw cancelled();
      };
      return { done: false, step, free: () => run.free() };
    };
    const { server, posted } = await loaded(engine);
    server.receive({ type: "generate", id: 2, request });
    await until(() => lastWords(posted).length === 1);
    expect(said).toBe(false);
    expect(lastWords(posted)).toEqual(["cancelled 2"]);
    expect(engine.freed).toBe(1);
  });

  it("cancels a generation that still waits, and leaves the running one", async () => {
    const { server, posted } = await loaded();
    server.receive({ type: "generate", id: 2, request });
    server.receive({ type: "generate", id: 3, request });
    server.receive({ type: "cancel", id: 3 });
    await until(() => lastWords(posted).length === 2);
    expect(lastWords(posted)).toEqual(["cancelled 3", "finished 2"]);
  });

  it("answers a compile between two steps", async () => {
    const { server, posted } = await loaded(
      fakeEngine((step) => {
        if (step === 1) {
          server.receive(compile(9));
        }
      }),
    );
    server.receive({ type: "generate", id: 2, request });
    await until(() => lastWords(posted).length === 2);
    expect(lastWords(posted)).toEqual(["compiled 9", "finished 2"]);
  });

  const compile = (id: number) =>
    ({ type: "compile", id, grammar: { kind: "regex", text: "" }, options: {} }) as const;

  it("compiles one grammar after the other, and those that were given up not at all", async () => {
    const compiled: number[] = [];
    const { server, posted } = fakeServer(fakeEngine(), {
      compile: async ({ id }: { id: number }) => {
        compiled.push(id);
        // While it is compiled nothing is heard: this comes behind.
        setTimeout(() => server.receive({ type: "cancel", id: 2 }));
        return grammarInfo(id);
      },
    });
    for (const id of [1, 2, 3]) server.receive(compile(id));
    await until(() => posted.length === 3);
    expect(compiled).toEqual([1, 3]);
    expect(lastWords(posted)).toEqual(["compiled 1", "cancelled 2", "compiled 3"]);
  });

  it("tells what compiles that it was given up while something else was waited for", async () => {
    const { server, posted } = fakeServer(fakeEngine(), {
      compile: async (_: unknown, signal: AbortSignal) => {
        server.receive({ type: "cancel", id: 1 });
        if (signal.aborted) throw cancelled(signal);
        return grammarInfo(0);
      },
    });
    server.receive(compile(1));
    await until(() => posted.length === 1);
    expect(lastWords(posted)).toEqual(["cancelled 1"]);
  });

  it("does not start a text that was given up while the one before was started", async () => {
    const started: number[] = [];
    const engine = fakeEngine();
    engine.start = async ({ seed }) => {
      started.push(seed);
      setTimeout(() => server.receive({ type: "cancel", id: 3 }));
      throw { kind: "grammar", message: "wrong" };
    };
    const { server, posted } = await loaded(engine);
    server.receive({ type: "generate", id: 2, request: { ...request, seed: 2 } });
    server.receive({ type: "generate", id: 3, request: { ...request, seed: 3 } });
    await until(() => posted.length === 2);
    expect(started).toEqual([2]);
    expect(lastWords(posted)).toEqual(["failed 2", "cancelled 3"]);
  });

  it("frees a run that failed and goes on with the next", async () => {
    let failures = 1;
    const { server, posted, engine } = await loaded(
      fakeEngine(() => {
        if (failures-- > 0) throw { kind: "budget", message: "too long" };
      }),
    );
    server.receive({ type: "generate", id: 2, request });
    server.receive({ type: "generate", id: 3, request });
    await until(() => lastWords(posted).length === 2);
    expect(posted[0]).toEqual({
      type: "failed",
      id: 2,
      fault: { kind: "budget", message: "too long" },
      fatal: false,
    });
    expect(lastWords(posted)).toEqual(["failed 2", "finished 3"]);
    expect(engine.freed).toBe(2);
  });

  it("calls a trap fatal, and does not enter the module again", async () => {
    const { server, posted, engine } = await loaded(
      fakeEngine(() => {
        throw new WebAssembly.RuntimeError("unreachable");
      }),
    );
    server.receive({ type: "generate", id: 2, request });
    await until(() => posted.length === 1);
    expect(posted[0]).toMatchObject({ type: "failed", fatal: true, fault: { kind: "trap" } });
    expect(engine.freed).toBe(0);
  });

  it("frees a model before it makes the next one on the device that is wanted", async () => {
    const order: string[] = [];
    const engine = { ...fakeEngine(), free: () => order.push("free") };
    const { server, posted } = await loaded(fakeEngine(), {
      loadEngine: async (_: unknown, device: string) => {
        order.push(device);
        return engine;
      },
    });
    server.receive({ type: "load", id: 2, files, device: "gpu" });
    await until(() => posted.some(({ type, id }) => type === "loaded" && id === 2));
    expect(order).toEqual(["auto", "free", "gpu"]);
  });

  it("gives a load up while its files are fetched", async () => {
    let signal: AbortSignal | undefined;
    const { server, posted } = fakeServer(fakeEngine(), {
      fetchModel: (_: unknown, __: unknown, given: AbortSignal) => {
        signal = given;
        return new Promise((_, reject) => {
          given.addEventListener("abort", () => reject(cancelled(given)));
        });
      },
    });
    server.receive({ type: "load", id: 1, files, device: "auto" });
    await until(() => signal !== undefined);
    server.receive({ type: "cancel", id: 1 });
    await until(() => posted.length === 1);
    expect(posted).toEqual([{ type: "cancelled", id: 1 }]);
  });

  it("does loads one after another, and keeps the last", async () => {
    const freed: string[] = [];
    let letGo = () => {};
    const slow = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { server, posted } = fakeServer(fakeEngine(), {
      loadEngine: async (_: unknown, device: string) => {
        if (device === "gpu") await slow;
        return { ...fakeEngine(), free: () => freed.push(device) };
      },
    });
    server.receive({ type: "load", id: 1, files, device: "gpu" });
    server.receive({ type: "load", id: 2, files, device: "cpu" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(lastWords(posted)).toEqual([]);
    letGo();
    await until(() => lastWords(posted).length === 2);
    expect(lastWords(posted)).toEqual(["loaded 1", "loaded 2"]);
    expect(freed).toEqual(["gpu"]);
  });

  it("frees a model whose load was given up while it was put on its device", async () => {
    let freed = 0;
    const { server, posted } = fakeServer(fakeEngine(), {
      loadEngine: async () => {
        server.receive({ type: "cancel", id: 1 });
        return { ...fakeEngine(), free: () => freed++ };
      },
    });
    server.receive({ type: "load", id: 1, files, device: "gpu" });
    server.receive({ type: "generate", id: 2, request });
    await until(() => lastWords(posted).length === 2);
    expect(lastWords(posted).sort()).toEqual(["cancelled 1", "failed 2"]);
    expect(freed).toBe(1);
  });

  it("lets weights go whose load was given up while it waited", async () => {
    let freed = 0;
    const empty = new Uint8Array();
    const weights = { free: () => freed++ };
    const first = fakeEngine((step) => {
      if (step === 1) server.receive({ type: "load", id: 3, files, device: "cpu" });
      if (step === 3) server.receive({ type: "cancel", id: 3 });
    });
    const { server, posted } = await loaded(first, {
      fetchModel: async () => ({ config: empty, tokenizer: empty, weights }),
    });
    server.receive({ type: "generate", id: 2, request });
    await until(() => lastWords(posted).length === 2);
    expect(lastWords(posted)).toEqual(["finished 2", "cancelled 3"]);
    expect(freed).toBe(1);
  });

  it("leaves a text its model: another takes its place behind it", async () => {
    const order: string[] = [];
    const first = fakeEngine((step) => {
      if (step === 1) server.receive({ type: "load", id: 3, files, device: "cpu" });
      order.push(`step ${step}`);
    });
    const { server, posted } = await loaded(first, {
      loadEngine: async (_: unknown, device: string) => {
        order.push(device);
        return first;
      },
    });
    server.receive({ type: "generate", id: 2, request });
    await until(() => lastWords(posted).length === 2);
    expect(order).toEqual(["auto", "step 1", "step 2", "step 3", "cpu"]);
    expect(lastWords(posted)).toEqual(["finished 2", "loaded 3"]);
  });

  it("says so when nothing is loaded, or the loading failed", async () => {
    const { server, posted } = fakeServer(fakeEngine(), {
      loadEngine: async () => {
        throw { kind: "weights", message: "cut short" };
      },
    });
    server.receive({ type: "load", id: 1, files, device: "auto" });
    server.receive({ type: "generate", id: 2, request });
    await until(() => posted.length === 2);
    expect(posted.map((message) => "fault" in message && message.fault.kind).sort()).toEqual([
      "not-loaded",
      "weights",
    ]);
  });
});
