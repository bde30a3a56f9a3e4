/** The npm package in apps: bundlers, policies, tabs, faults. */

import { createHash } from "node:crypto";
import { expect, type Page, type Request, test } from "@playwright/test";
import { INDEX, shardsOf } from "../lacuna/test/shards.ts";
import { ALONE } from "./browser.ts";
import { develop, install, KINDS, make } from "./package/bundles.ts";
import { ISOLATION, POLICY, serveApp } from "./package/serve.ts";
import { file } from "./page-object.ts";

/** What the app's script puts into its window. */
interface App {
  readonly report: { witness: string; explained: string };
  readonly ready?: boolean;
  readonly engine: import("lacuna-lm").Engine;
  readonly grammar: import("lacuna-lm/grammar").CompiledGrammar<string>;
  forgetModels(): Promise<void>;
  createEngine(options?: Partial<import("lacuna-lm").EngineOptions>): App["engine"];
  write(options?: object, by?: App["engine"]): Promise<Written>;
}

interface Written {
  readonly value?: { artist: string };
  readonly outcome?: string;
  readonly events?: number;
  readonly warnings?: readonly { readonly kind: string; readonly pointer?: string }[];
  readonly kind?: string;
}

const window = globalThis as unknown as App;

let plain: { address: string; close: () => void };

test.beforeAll(async () => {
  install();
  plain = await serveApp(await make("plain"));
});

test.afterAll(() => plain.close());

async function open(page: Page, address = plain.address): Promise<void> {
  await page.goto(address);
  await page.waitForFunction(() => window.ready);
}

const write = (page: Page, options: object = {}) =>
  page.evaluate((options) => window.write(options), options);

for (const kind of KINDS) {
  test(`works from ${kind}, not isolated, under a strict policy`, async ({ page }) => {
    const { address, close } = await serveApp(await make(kind));
    try {
      await open(page, address);
      expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
      expect(await page.evaluate(() => window.report)).toMatchObject({
        witness: expect.stringMatching(/^\(4\d*\)$/),
        explained: "breaks",
      });
      const written = await write(page);
      expect(written).toMatchObject({ outcome: "complete" });
      expect("play some jazz by Nina Simone").toContain(written.value?.artist ?? "nothing");
    } finally {
      close();
    }
  });
}

test("warns of what a schema holds that constrains nothing", async ({ page }) => {
  await open(page);
  expect((await write(page)).warnings).toEqual([]);
  const name = { type: "string", maxLength: 9 };
  const slip = { type: "object", properties: { name }, requried: ["name"] };
  const { warnings } = await write(page, { grammar: { jsonSchema: slip } });
  const expected = { kind: "unknown-keyword", pointer: "/requried", severity: "warning" };
  expect(warnings).toMatchObject([{ ...expected, note: "did you mean required?" }]);
});

test("works while one develops with Vite", async ({ page }) => {
  const { address, close } = await develop();
  try {
    await page.route("**/models/**", (route) => {
      const { pathname } = new URL(route.request().url());
      return route.fulfill({ body: file(pathname.slice(1)) });
    });
    await open(page, address);
    expect(await write(page)).toMatchObject({ outcome: "complete" });
  } finally {
    await close();
  }
});

test("says so where the policy forbids WebAssembly", async ({ page }) => {
  const forbidding = POLICY.replace(" 'wasm-unsafe-eval'", "");
  const { address, close } = await serveApp(await make("plain"), forbidding);
  const failed = page.waitForEvent("pageerror");
  await page.goto(address);
  expect((await failed).message).toMatch(/could not be loaded.*(Content Security Policy|CSP)/);
  const kind = await page.evaluate(async () => {
    const door = "./lacuna/dist/grammar/index.js";
    const { loadGrammarEngine } = await import(door);
    return loadGrammarEngine().catch((error: { kind: string }) => error.kind);
  });
  expect(kind).toBe("unavailable");
  close();
});

test("a worker that is terminated in mid-run settles everything, and the next run works", async ({
  page,
}) => {
  await page.addInitScript(() => {
    const workers: Worker[] = [];
    Object.assign(globalThis, { workers });
    globalThis.Worker = class extends Worker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        workers.push(this);
      }
    };
  });
  await open(page);
  await write(page);
  const [first, queued] = await page.evaluate(async () => {
    const runs = [window.write({ steps: 24 }), window.write()];
    const [worker] = (globalThis as unknown as { workers: Worker[] }).workers;
    await new Promise((resolve) => setTimeout(resolve, 50));
    // As a browser does that takes a worker away: it is gone, and there is an error.
    worker?.terminate();
    worker?.dispatchEvent(new ErrorEvent("error", { message: "taken away" }));
    return Promise.all(runs);
  });
  expect([first?.kind, queued?.kind]).toEqual(["worker", "worker"]);
  expect(await write(page)).toMatchObject({ outcome: "complete" });
});

test("a trap of the module settles everything with its kind, and the next run works", async ({
  page,
}) => {
  // In the worker that starts first, the module traps when its first run takes a step.
  let provoked = 0;
  await page.route("**/wasm/full/lacuna_wasm.js", async (route) => {
    const response = await route.fetch();
    provoked += 1;
    const trap = `
      const step = Run.prototype.step;
      Run.prototype.step = async function () {
        if (${provoked} === 1) throw new WebAssembly.RuntimeError("unreachable");
        return step.call(this);
      };`;
    await route.fulfill({ response, body: (await response.text()) + trap });
  });
  await open(page);
  const [first, queued] = await page.evaluate(() => Promise.all([window.write(), window.write()]));
  expect([first?.kind, queued?.kind]).toEqual(["trap", "trap"]);
  expect(await write(page)).toMatchObject({ outcome: "complete" });
  expect(provoked).toBe(2);
});

test("a trap that no call can catch settles everything too, and the next run works", async ({
  page,
}) => {
  // In the worker that starts first, the module traps in a task of its own, and the step's
  // promise stays open, as it does where a future traps.
  let provoked = 0;
  await page.route("**/wasm/full/lacuna_wasm.js", async (route) => {
    const response = await route.fetch();
    provoked += 1;
    const trap = `
      const step = Run.prototype.step;
      Run.prototype.step = function () {
        if (${provoked} !== 1) return step.call(this);
        Promise.resolve().then(() => { throw new WebAssembly.RuntimeError("unreachable"); });
        return new Promise(() => {});
      };`;
    await route.fulfill({ response, body: (await response.text()) + trap });
  });
  await open(page);
  const [first, queued] = await page.evaluate(() => Promise.all([window.write(), window.write()]));
  expect([first?.kind, queued?.kind]).toEqual(["trap", "trap"]);
  expect(await write(page)).toMatchObject({ outcome: "complete" });
});

test("several engines and several tabs write at once, and fetch a model once", async ({
  page,
  context,
}) => {
  let fetched = 0;
  context.on("request", (request) => {
    if (request.url().endsWith("model.safetensors")) fetched += 1;
  });
  const other = await context.newPage();
  await Promise.all([open(page), open(other)]);
  const here = page.evaluate(() => {
    // Two calls of one engine, and one of another, with a worker of its own.
    const second = window.createEngine();
    return Promise.all([window.write(), window.write({ seed: 7 }), window.write({}, second)]);
  });
  const [[first, ...more], there] = await Promise.all([here, write(other)]);
  for (const written of [first, ...more, there]) {
    expect(written).toMatchObject({ outcome: "complete" });
    expect(written?.value).toEqual(first?.value);
  }
  expect(page.workers()).toHaveLength(2);
  expect(fetched).toBe(1);
  await page.evaluate(() => window.engine.dispose());
  expect(await write(other)).toMatchObject({ outcome: "complete" });
});

test("a worker of the app’s own serves it", async ({ page }) => {
  await open(page);
  const written = await page.evaluate(() => {
    const worker = () => new Worker("own-worker.js", { type: "module", name: "our own" });
    return window.write({}, window.createEngine({ worker }));
  });
  expect(written).toMatchObject({ outcome: "complete" });
  expect(page.workers().map((worker) => new URL(worker.url()).pathname)).toEqual([
    "/own-worker.js",
  ]);
});

test("the worker and the module may come from another origin", async ({ page }) => {
  const other = await serveApp(await make("esbuild"));
  const origin = new URL(other.address).origin;
  const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob: ${origin}; connect-src 'self' ${origin}`;
  const own = await serveApp(await make("plain"), policy);
  try {
    await open(page, own.address);
    const written = await page.evaluate((address) => {
      const workerUrl = new URL("worker.js", address);
      const wasmUrl = new URL("engine.wasm", address);
      return window.write({}, window.createEngine({ workerUrl, wasmUrl }));
    }, other.address);
    expect(written).toMatchObject({ outcome: "complete" });
  } finally {
    own.close();
    other.close();
  }
});

test("writes within a grammar that the grammar door compiled", async ({ page }) => {
  await open(page);
  const { text, value } = await page.evaluate(async () => {
    const ask = { prompt: "how many?", grammar: window.grammar, length: 8, steps: 4 };
    return window.engine.generate(ask).result;
  });
  expect(text).toMatch(/^\([0-9]+\)$/);
  expect(value).toBe(text);
});

test("where the browser’s storage is full, a model is held in memory", async ({ page }) => {
  await open(page);
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(plain.address);
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1_000_000 });
  expect(await write(page)).toMatchObject({ outcome: "complete" });
  expect(await page.evaluate(() => window.engine.availability())).toBe("available");
  await open(page);
  expect(await page.evaluate(() => window.engine.availability())).toBe("downloadable");
  await session.send("Storage.overrideQuotaForOrigin", { origin });
});

test("takes every choice of the decoder, and every method", async ({ page }) => {
  const choices: readonly import("lacuna-lm").DecodingOptions[] = [
    { schedule: "fixed" },
    { schedule: "linear" },
    { schedule: "cosine" },
    { schedule: { threshold: 0.5 } },
    { schedule: { factor: 1.5 } },
    { block: 4 },
    { block: 4, keyCache: "prefix" },
    { block: 4, keyCache: "dual" },
    { order: "confidence" },
    { order: "margin" },
    { order: "entropy" },
    { order: "random" },
    { order: "left-to-right" },
    { temperature: 1, topK: 5, topP: 0.9, minP: 0.05 },
    { repetitionPenalty: 1.5, bias: [[40, 2.5]], ban: [41] },
    { masksAfter: 0 },
    { masksAfter: "never" },
    { foresight: 0 },
    { commit: "bisect" },
    { commit: "whole" },
    { commit: "relaxed" },
    { commit: "sequential" },
    { commit: "best", width: 16 },
    { recovery: "guided", refusals: 1 },
    { recovery: "best", refusals: 1 },
    { recovery: "witness", refusals: 1 },
    { recovery: "finish", refusalsInAll: 1 },
    { remask: 0.5 },
    { earlyStop: false },
    { method: "lacuna" },
    { method: "epic" },
    { method: "mundler" },
    { method: "unconstrained" },
  ];
  await open(page);
  const outcomes = await page.evaluate(async (choices) => {
    const ask = {
      prompt: "hello",
      grammar: { regex: "[a-z]{3,9}( [a-z]{3,9})?" },
      length: 12,
      steps: 6,
    };
    const outcomes = [];
    for (const choice of choices) {
      const { text, outcome } = await window.engine.generate({ ...ask, ...choice }).result;
      outcomes.push({ choice, text, outcome });
    }
    return outcomes;
  }, choices);
  for (const { choice, text, outcome } of outcomes) {
    const words = JSON.stringify(choice);
    if (choice.method !== "unconstrained")
      expect(text, words).toMatch(/^[a-z]{3,9}( [a-z]{3,9})?$/);
    expect(outcome, words).toMatch(/complete|recovered/);
  }
});

test("leaves a step that is given up before it is over", { tag: ALONE }, async ({ page }) => {
  await open(page);
  const steps = await page.evaluate(async () => {
    // One step that checks hundreds of candidates one by one.
    const ask = { prompt: "play some jazz by Nina Simone", length: 256, steps: 1, seed: 3 };
    const grammar = { lark: 'start: word (" " word)*\nword: /[a-z]{3,9}/' };
    const slow = { commit: "sequential", masksAfter: "never", temperature: 1.5 } as const;
    const timed = async (signal?: AbortSignal) => {
      const run = window.engine.generate({
        ...ask,
        ...slow,
        grammar,
        ...(signal ? { signal } : {}),
      });
      await run.result.catch(() => {});
      // Served when the worker is free.
      const started = performance.now();
      const { result } = window.engine.generate({
        prompt: "a",
        grammar: { regex: "a" },
        length: 2,
      });
      await result;
      return performance.now() - started;
    };
    const whole = performance.now();
    const behind = await timed();
    const took = performance.now() - whole - behind;
    const abort = new AbortController();
    setTimeout(() => abort.abort(), took / 4);
    return { took, next: await timed(abort.signal), behind };
  });
  console.log(JSON.stringify(steps));
  expect(steps.next - steps.behind).toBeLessThan(steps.took / 2);
});

test("gives a load and a run up at once, and goes on", { tag: ALONE }, async ({ page }) => {
  await open(page);
  const kinds = await page.evaluate(async () => {
    const kind = (promise: Promise<unknown>) =>
      promise.then(
        () => "done",
        (error: { kind: string; name: string }) => `${error.kind} ${error.name}`,
      );
    const loading = new AbortController();
    const load = kind(window.engine.load({ signal: loading.signal }));
    loading.abort();
    const running = new AbortController();
    const options = { prompt: "play jazz", grammar: { regex: "[a-z ]+" }, steps: 24 };
    const run = window.engine.generate({ ...options, signal: running.signal });
    for await (const event of run) {
      if (event.type === "step") break;
    }
    const before = performance.now();
    running.abort();
    const result = await kind(run.result);
    return { load: await load, result, milliseconds: performance.now() - before };
  });
  expect(kinds).toMatchObject({ load: "cancelled AbortError", result: "cancelled AbortError" });
  expect(kinds.milliseconds).toBeLessThan(50);
  expect(await write(page)).toMatchObject({ outcome: "complete" });
});

test("fetches the model once, tells its bytes, and is ready at once the next time", {
  tag: ALONE,
}, async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/models/")) fetched.push(request.url().split("/").at(-1) ?? "");
  });
  await open(page);
  const load = () =>
    page.evaluate(async () => {
      const before = await window.engine.availability();
      const seen: { loaded: number; total: number | null }[] = [];
      const started = performance.now();
      await window.engine.load({ onProgress: (progress) => seen.push(progress) });
      const last = seen.at(-1);
      return { before, last, milliseconds: performance.now() - started };
    });
  const first = await load();
  expect(first.before).toBe("downloadable");
  expect(first.last?.loaded).toBe(first.last?.total);
  expect(first.last?.total).toBeGreaterThan(5_000_000);
  expect(fetched).toContain("model.safetensors");

  fetched.length = 0;
  await open(page);
  const second = await load();
  expect(second.before).toBe("available");
  expect(new Set(fetched)).toEqual(new Set(["model.json"]));
  console.log(`ready in ${Math.round(second.milliseconds)} ms with the model kept`);
  expect(second.milliseconds).toBeLessThan(1_000);

  await page.evaluate(() => window.forgetModels());
  await open(page);
  expect(await page.evaluate(() => window.engine.availability())).toBe("downloadable");
});

test("a model that is kept is loaded where its server cannot be reached", async ({ page }) => {
  await open(page);
  expect(await write(page)).toMatchObject({ outcome: "complete" });
  await page.route("**/models/**", (route) => route.abort());
  await open(page);
  expect(await page.evaluate(() => window.engine.availability())).toBe("available");
  expect(await write(page)).toMatchObject({ outcome: "complete" });

  await page.evaluate(() => window.forgetModels());
  await open(page);
  expect(await write(page)).toMatchObject({ kind: "network" });
});

test("a model in shards writes what it writes from one file", async ({ page }) => {
  const shipped = (name: string): Uint8Array => file(`models/lacuna-small/${name}`);
  const files = new Map(["config.json", "tokenizer.json"].map((name) => [name, shipped(name)]));
  const shards = shardsOf(shipped("model.safetensors"), 1_000_000);
  expect(shards.size).toBeGreaterThan(6);
  for (const [name, bytes] of shards) files.set(name, bytes);
  const record = [...files].map(([name, bytes]) => {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return [name, { bytes: bytes.length, sha256 }] as const;
  });
  const recorded = Object.fromEntries(record.filter(([name]) => name !== INDEX));
  files.set("recorded/model.json", Buffer.from(JSON.stringify({ files: recorded })));
  await page.route("**/models/parted/**", (route) => {
    const [, name = ""] = new URL(route.request().url()).pathname.split("/models/parted/");
    const body = files.get(name) ?? files.get(name.replace("recorded/", ""));
    return route.fulfill(body ? { body: Buffer.from(body) } : { status: 404 });
  });
  const asked: string[] = [];
  const note = (request: Request) => {
    const [, name] = request.url().split("/models/parted/");
    if (name !== undefined) asked.push(name);
  };
  page.on("request", note);
  const load = (folder: string) =>
    page.evaluate(async (folder) => {
      const model = new URL(folder, location.href);
      const engine = window.createEngine({ model });
      const before = await engine.availability();
      let last: import("lacuna-lm").Progress | undefined;
      await engine.load({ onProgress: (progress) => (last = progress) });
      const texts = [];
      for (const temperature of [0, 1]) {
        const ask = { prompt: "play some jazz", grammar: { regex: "[a-z ]{3,40}" }, seed: 5 };
        texts.push((await engine.generate({ ...ask, temperature }).result).text);
      }
      engine.dispose();
      return { before, last, texts };
    }, folder);
  await open(page);
  const { texts } = await load("/models/lacuna-small/");

  // Found by the index, as there is no record.
  const found = await load("/models/parted/");
  expect(found).toMatchObject({ before: "downloadable", texts });
  expect(asked).toContain("model.safetensors");
  const names = [...shards.keys()].filter((name) => name !== INDEX);
  expect(asked.filter((name) => name.startsWith("model-"))).toEqual(names);

  // Named by the record, compared, and kept.
  asked.length = 0;
  const total = Object.values(recorded).reduce((sum, { bytes }) => sum + bytes, 0);
  const named = await load("/models/parted/recorded/");
  expect(named).toEqual({ before: "downloadable", last: { loaded: total, total }, texts });
  expect(asked).not.toContain("recorded/model.safetensors");
  expect(asked).not.toContain(`recorded/${INDEX}`);
  asked.length = 0;
  await open(page);
  expect(await load("/models/parted/recorded/")).toMatchObject({ before: "available", texts });
  expect(new Set(asked)).toEqual(new Set(["recorded/model.json"]));

  // One that is another is refused, and named.
  await page.evaluate(() => window.forgetModels());
  const [, second = ""] = names;
  const damaged = files.get(second)?.slice() ?? new Uint8Array();
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  files.set(second, damaged);
  await open(page);
  const refused = await page.evaluate(async () => {
    const model = new URL("/models/parted/recorded/", location.href);
    const load = window.createEngine({ model }).load();
    return load.catch(({ kind, message }: Record<string, string>) => ({ kind, message }));
  });
  expect(refused).toMatchObject({ kind: "integrity", message: expect.stringContaining(second) });
});

test("all threads are told of from the first load on, where a page is isolated", async ({
  page,
}) => {
  const { address, close } = await serveApp(await make("plain"), POLICY, ISOLATION);
  try {
    for (let load = 0; load < 4; load++) {
      await open(page, address);
      const [threads, processors] = await page.evaluate(async () => {
        const { device } = await window.engine.load();
        return [device.threads, navigator.hardwareConcurrency];
      });
      expect(threads).toBe(Math.min(processors ?? 1, 16));
    }
  } finally {
    close();
  }
});

test("grammars that wait are not compiled when they are given up", { tag: ALONE }, async ({
  page,
}) => {
  await open(page);
  const { whole, rest, kinds } = await page.evaluate(async () => {
    const word = (at: number) => Array.from({ length: 4_000 }, (_, i) => `w${at}x${i}`).join("|");
    const check = (at: number, signal?: AbortSignal) =>
      window.engine.validate({ regex: `(${word(at)}){1,2}` }, signal ? { signal } : {});
    await window.engine.validate({ regex: "a" });
    const before = performance.now();
    await check(0);
    const whole = performance.now() - before;
    const abort = new AbortController();
    const checks = Array.from({ length: 30 }, (_, at) => check(at + 1, abort.signal));
    setTimeout(() => abort.abort(), 10);
    const kinds = await Promise.all(checks.map((it) => it.catch((error) => error.kind)));
    const behind = performance.now();
    await window.engine.validate({ regex: "b" });
    return { whole, rest: performance.now() - behind, kinds };
  });
  console.log(JSON.stringify({ whole, rest }));
  expect(kinds.at(-1)).toBe("cancelled");
  expect(rest).toBeLessThan(4 * whole);
});

test("ends with its scope", async ({ page }) => {
  await open(page);
  const kind = await page.evaluate(async () => {
    const run = window.write();
    await window.engine[Symbol.asyncDispose]();
    return [(await run).kind, (await window.write()).kind];
  });
  expect(kind).toEqual(["disposed", "disposed"]);
});
