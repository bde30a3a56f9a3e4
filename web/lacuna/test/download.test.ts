import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { FoundFiles, ModelFile, Progress } from "../src/model.ts";
import { type Bytes, type DownloadOptions, fetchModel } from "../src/worker/download.ts";
import { ModelStore, PIECE } from "../src/worker/model-store.ts";
import { byHand, sha256 } from "../src/worker/sha256.ts";
import { fakeCaches } from "./doubles.ts";

const weights: Bytes = new Uint8Array(PIECE + 1000).map((_, at) => (at * 7 + (at >> 8)) & 0xff);
const hash = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

/** What the server was asked for, and how it behaves. */
let asked: string[] = [];
let breakAfter: number | undefined;
let ranges = true;
/** Whether the page may see what part is sent, as it may not of another origin as a rule. */
let hidden = false;
/** Told of shards that are asked for; whether they are refused. */
let onShard: ((name: string) => boolean) | undefined;

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const name = (request.url ?? "").slice(1);
    asked.push(`${name} ${request.headers.range ?? "whole"}`);
    if (name.includes("missing")) return void response.writeHead(404).end();
    if (name === "page") {
      const headers = { "content-type": "text/html; charset=utf-8" };
      return void response.writeHead(200, headers).end("<!doctype html>");
    }
    if (name.startsWith("shard") && onShard?.(name)) return void response.writeHead(503).end();
    const body = name === "weights" ? weights : new TextEncoder().encode(name);
    const from = ranges ? Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0) : 0;
    if (from >= body.length) {
      const of = hidden ? {} : { "content-range": `bytes */${body.length}` };
      return void response.writeHead(416, of).end();
    }
    const rest = body.subarray(from);
    const last = body.length - 1;
    const range =
      from > 0 && !hidden ? { "content-range": `bytes ${from}-${last}/${body.length}` } : {};
    response.writeHead(from > 0 ? 206 : 200, { "content-length": rest.length, ...range });
    const cut = name === "weights" ? breakAfter : undefined;
    if (name === "weights") breakAfter = undefined;
    if (cut === undefined) response.end(rest);
    else response.write(rest.subarray(0, cut), () => setTimeout(() => response.destroy(), 20));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

beforeEach(() => {
  asked = [];
  breakAfter = undefined;
  ranges = true;
  hidden = false;
  onShard = undefined;
});

afterAll(() => {
  server.close();
});

const file = (name: string, more: Partial<ModelFile> = {}): ModelFile => ({
  url: base + name,
  ...more,
});

const kept: Partial<ModelFile> = { bytes: weights.length, sha256: hash(weights) };

function model(changes: Partial<FoundFiles> = {}): FoundFiles {
  return { config: file("c"), tokenizer: file("t"), weights: [file("weights", kept)], ...changes };
}

/** A model's files, and what its weights were taken from, in order. */
async function fetched(files: FoundFiles, options: DownloadOptions) {
  const taken: (readonly [name: string, bytes: Bytes])[] = [];
  const taker = {
    index: async (json: Bytes) => new TextDecoder().decode(json).split(","),
    add: async (name: string, bytes: Bytes) => void taken.push([name, bytes]),
  };
  const texts = await fetchModel(files, taker, options);
  return { ...texts, taken, weights: taken[0]?.[1] ?? new Uint8Array() };
}

function options(changes: Partial<DownloadOptions> = {}): DownloadOptions {
  const store = new ModelStore(undefined);
  return { store, onProgress: () => {}, pauses: [1, 1], ...changes };
}

const ofWeights = () => asked.filter((line) => line.startsWith("weights"));

describe("fetching a model", () => {
  it("gives the files, and counts their bytes", async () => {
    const seen: Progress[] = [];
    const files = await fetched(model(), options({ onProgress: (now) => seen.push(now) }));
    expect(new TextDecoder().decode(files.config)).toBe("c");
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(seen.at(-1)).toEqual({ loaded: weights.length + 2, total: weights.length + 2 });
  });

  it("names the file that is missing", async () => {
    const missing = model({ tokenizer: file("missing") });
    await expect(fetched(missing, options())).rejects.toMatchObject({
      kind: "network",
      message: expect.stringMatching(/missing.*404/),
    });
  });

  it("says that a page is not the file, and where it was looked for", async () => {
    const page = file("page");
    const shadowed = { config: page, tokenizer: page, weights: [page] };
    await expect(fetched(shadowed, options())).rejects.toMatchObject({
      kind: "network",
      message: expect.stringContaining(`${base}page: the server answered with a page`),
    });
  });

  it("goes on where a connection broke off", async () => {
    breakAfter = 5000;
    const files = await fetched(model(), options());
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole", "weights bytes=5000-"]);
  });

  it("goes on where it cannot see the part, if there is a hash, and else starts over", async () => {
    hidden = true;
    breakAfter = 5000;
    const files = await fetched(model(), options());
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole", "weights bytes=5000-"]);
    asked = [];
    breakAfter = 5000;
    const unknown = await fetched(model({ weights: [file("weights")] }), options());
    expect(hash(unknown.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole", "weights bytes=5000-", "weights whole"]);
  });

  it("takes no file of another size than it is said to have", async () => {
    const wrong = model({ weights: [file("weights", { bytes: 7 })] });
    await expect(fetched(wrong, options())).rejects.toMatchObject({
      kind: "integrity",
      message: expect.stringContaining(`${weights.length} bytes, not 7`),
    });
  });

  it("does not wait for another attempt once it is given up", async () => {
    breakAfter = 5000;
    const abort = new AbortController();
    const began = Date.now();
    const call = fetched(model(), options({ pauses: [60_000], signal: abort.signal }));
    setTimeout(() => abort.abort(), 200);
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    expect(Date.now() - began).toBeLessThan(30_000);
  });

  it("starts over where the server knows no ranges", async () => {
    breakAfter = 5000;
    ranges = false;
    const files = await fetched(model(), options());
    expect(hash(files.weights)).toBe(kept.sha256);
  });

  it("says that nobody answers", async () => {
    const nowhere = model({ weights: [{ url: "http://127.0.0.1:1/weights" }] });
    await expect(fetched(nowhere, options())).rejects.toMatchObject({ kind: "network" });
  });

  it("refuses a file that is not the one that is wanted", async () => {
    const other = model({ weights: [file("weights", { ...kept, sha256: hash("another") })] });
    await expect(fetched(other, options())).rejects.toMatchObject({ kind: "integrity" });
  });

  it("leaves aside what the browser remembers of a file that was there before", async () => {
    const fetching = globalThis.fetch;
    const modes: (string | undefined)[] = [];
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      if (!String(input).endsWith("/weights")) return fetching(input, init);
      modes.push(init?.cache);
      return init?.cache === "reload"
        ? fetching(input, init)
        : Promise.resolve(new Response("what was there before"));
    });
    try {
      const files = await fetched(model(), options());
      expect(hash(files.weights)).toBe(kept.sha256);
      expect(modes).toEqual([undefined, "reload"]);
    } finally {
      spy.mockRestore();
    }
  });

  it("stops when it is given up", async () => {
    const abort = new AbortController();
    const fetching = fetched(
      model(),
      options({ signal: abort.signal, onProgress: () => abort.abort() }),
    );
    await expect(fetching).rejects.toMatchObject({ kind: "cancelled" });
  });
});

const shards = ["shard1", "shard2", "shard3"];
const recorded = (name: string) => file(name, { bytes: name.length, sha256: hash(name) });

describe("fetching shards", () => {
  it("hands each over before the next is asked for, and counts all bytes", async () => {
    const order: string[] = [];
    onShard = (name) => {
      order.push(`asked ${name}`);
      return false;
    };
    const seen: Progress[] = [];
    const taker = {
      index: async () => [],
      add: async (name: string, bytes: Bytes) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        expect(new TextDecoder().decode(bytes)).toBe(name);
        order.push(`took ${name}`);
      },
    };
    const onProgress = (now: Progress) => seen.push(now);
    const parted = {
      config: file("c", { bytes: 1 }),
      tokenizer: file("t", { bytes: 1 }),
      weights: shards.map(recorded),
    };
    await fetchModel(parted, taker, options({ onProgress }));
    expect(order).toEqual(shards.flatMap((name) => [`asked ${name}`, `took ${name}`]));
    expect(new Set(seen.map(({ total }) => total))).toEqual(new Set([20]));
    expect(seen.at(-1)?.loaded).toBe(20);
  });

  it("finds them by the index where the weights are not one file", async () => {
    const [parted, seen]: [FoundFiles, Progress[]] = [
      model({ weights: [file("missing.safetensors")], index: file("shard1,shard2") }),
      [],
    ];
    const { taken } = await fetched(parted, options({ onProgress: (now) => seen.push(now) }));
    expect(taken.map(([name]) => name)).toEqual(["shard1", "shard2"]);
    expect(seen.at(-1)).toEqual({ loaded: 14, total: 14 });
    const others = asked.filter((line) => !/^[ct] /.test(line));
    const expected = ["missing.safetensors", "shard1,shard2", "shard1", "shard2"];
    expect(others).toEqual(expected.map((name) => `${name} whole`));
  });

  it("names the one file where there is no index either", async () => {
    const nowhere = model({ weights: [file("missing.safetensors")], index: file("missing.json") });
    await expect(fetched(nowhere, options())).rejects.toMatchObject({
      kind: "network",
      message: expect.stringMatching(/missing\.safetensors.*404/),
    });
    // Where the server is out of order, there may be one file all the same.
    onShard = () => true;
    const away = model({ weights: [file("shard1")], index: file("shard2") });
    await expect(fetched(away, options())).rejects.toMatchObject({ kind: "network" });
    expect(asked.some((line) => line.startsWith("shard2"))).toBe(false);
  });

  it("keeps each by its hash, and fetches later what was missing", async () => {
    const store = new ModelStore(fakeCaches());
    onShard = (name) => name === "shard3";
    const parted = model({ weights: shards.map(recorded) });
    await expect(fetched(parted, options({ store }))).rejects.toMatchObject({
      kind: "network",
      message: expect.stringContaining("shard3"),
    });
    onShard = undefined;
    asked = [];
    const { taken } = await fetched(parted, options({ store }));
    expect(taken.map(([name]) => name)).toEqual(shards);
    expect(asked.filter((line) => line.startsWith("shard"))).toEqual(["shard3 whole"]);
    for (const name of shards) expect(await store.holds(hash(name), name.length)).toBe(true);
  });

  it("refuses one that is not the one that is wanted, and takes none behind it", async () => {
    const [one, , three] = shards.map(recorded);
    const wrong = file("shard2", { bytes: 6, sha256: hash("another") });
    const parted = model({ weights: [one, wrong, three] as ModelFile[] });
    await expect(fetched(parted, options())).rejects.toMatchObject({
      kind: "integrity",
      message: expect.stringContaining("shard2"),
    });
    expect(asked.some((line) => line.startsWith("shard3"))).toBe(false);
  });

  it("takes none behind where it is given up", async () => {
    const abort = new AbortController();
    onShard = (name) => {
      if (name === "shard2") abort.abort();
      return false;
    };
    const parted = model({ weights: shards.map(recorded) });
    const call = fetched(parted, options({ signal: abort.signal }));
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked.some((line) => line.startsWith("shard3"))).toBe(false);
  });

  it("says what is wrong with an index, and with what was taken", async () => {
    const fault = { kind: "weights", message: "no index" };
    const taker = { index: () => Promise.reject(fault), add: () => Promise.reject(fault) };
    const by = model({ weights: [file("missing")], index: file("shard1") });
    await expect(fetchModel(by, taker, options())).rejects.toBe(fault);
    await expect(fetchModel(model(), taker, options())).rejects.toBe(fault);
  });
});

describe("keeping a model", () => {
  it("fetches it once", async () => {
    const store = new ModelStore(fakeCaches());
    expect(await store.holds(kept.sha256 ?? "", weights.length)).toBe(false);
    await fetched(model(), options({ store }));
    expect(await store.holds(kept.sha256 ?? "", weights.length)).toBe(true);
    const again = await fetched(model(), options({ store }));
    expect(hash(again.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole"]);
  });

  it("goes on later where it was given up", async () => {
    const store = new ModelStore(fakeCaches());
    breakAfter = PIECE + 100;
    await expect(fetched(model(), options({ store, pauses: [] }))).rejects.toMatchObject({
      kind: "network",
    });
    const files = await fetched(model(), options({ store }));
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole", `weights bytes=${PIECE + 100}-`]);
  });

  it("does without where there is no room", async () => {
    const store = new ModelStore(fakeCaches(PIECE - 1));
    const files = await fetched(model(), options({ store }));
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(await store.holds(kept.sha256 ?? "", weights.length)).toBe(false);
  });

  it("fetches again what was damaged since", async () => {
    const caches = fakeCaches();
    const store = new ModelStore(caches);
    await fetched(model(), options({ store }));
    const cache = await caches.open("");
    const [first] = (await cache.keys()) as unknown as string[];
    const damaged = weights.slice(0, PIECE);
    damaged[7] = (damaged[7] ?? 0) ^ 1;
    await cache.put(first as string, new Response(damaged, { headers: { "x-bytes": `${PIECE}` } }));
    const files = await fetched(model(), options({ store }));
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(ofWeights()).toHaveLength(2);
  });
});

it.each([0, 3, 55, 56, 63, 64, 65, 1000])(
  "hashes %i bytes as the platform does",
  async (length) => {
    const bytes = weights.slice(0, length);
    expect(Buffer.from(byHand(bytes)).toString("hex")).toBe(hash(bytes));
    expect(await sha256(bytes)).toBe(hash(bytes));
  },
);
