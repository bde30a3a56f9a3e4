import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ModelFile, ModelFiles, Progress } from "../src/model.ts";
import { type DownloadOptions, fetchModel } from "../src/worker/download.ts";
import { ModelStore, PIECE } from "../src/worker/model-store.ts";
import { byHand, sha256 } from "../src/worker/sha256.ts";
import { fakeCaches } from "./doubles.ts";

const weights = new Uint8Array(PIECE + 1000).map((_, at) => (at * 7 + (at >> 8)) & 0xff);
const hash = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

/** What the server was asked for, and how it behaves. */
let asked: string[] = [];
let breakAfter: number | undefined;
let ranges = true;
/** Whether the page may see what part is sent, as it may not of another origin as a rule. */
let hidden = false;

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const name = (request.url ?? "").slice(1);
    asked.push(`${name} ${request.headers.range ?? "whole"}`);
    if (name === "missing") return void response.writeHead(404).end();
    if (name === "page") {
      const headers = { "content-type": "text/html; charset=utf-8" };
      return void response.writeHead(200, headers).end("<!doctype html>");
    }
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
});

afterAll(() => {
  server.close();
});

const file = (name: string, more: Partial<ModelFile> = {}): ModelFile => ({
  url: base + name,
  ...more,
});

const kept: Partial<ModelFile> = { bytes: weights.length, sha256: hash(weights) };

function model(changes: Partial<ModelFiles> = {}): ModelFiles {
  return { config: file("c"), tokenizer: file("t"), weights: file("weights", kept), ...changes };
}

function options(changes: Partial<DownloadOptions> = {}): DownloadOptions {
  const store = new ModelStore(undefined);
  return { store, onProgress: () => {}, pauses: [1, 1], ...changes };
}

const ofWeights = () => asked.filter((line) => line.startsWith("weights"));

describe("fetching a model", () => {
  it("gives the three files, and counts their bytes", async () => {
    const seen: Progress[] = [];
    const files = await fetchModel(model(), options({ onProgress: (now) => seen.push(now) }));
    expect(new TextDecoder().decode(files.config)).toBe("c");
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(seen.at(-1)).toEqual({ loaded: weights.length + 2, total: weights.length + 2 });
  });

  it("names the file that is missing", async () => {
    const missing = model({ tokenizer: file("missing") });
    await expect(fetchModel(missing, options())).rejects.toMatchObject({
      kind: "network",
      message: expect.stringMatching(/missing.*404/),
    });
  });

  it("says that a page is not the file, and where it was looked for", async () => {
    const page = file("page");
    const shadowed = { config: page, tokenizer: page, weights: page };
    await expect(fetchModel(shadowed, options())).rejects.toMatchObject({
      kind: "network",
      message: expect.stringContaining(`${base}page: the server answered with a page`),
    });
  });

  it("goes on where a connection broke off", async () => {
    breakAfter = 5000;
    const files = await fetchModel(model(), options());
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole", "weights bytes=5000-"]);
  });

  it("goes on where it cannot see the part, if there is a hash, and else starts over", async () => {
    hidden = true;
    breakAfter = 5000;
    const files = await fetchModel(model(), options());
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole", "weights bytes=5000-"]);
    asked = [];
    breakAfter = 5000;
    const unknown = await fetchModel(model({ weights: file("weights") }), options());
    expect(hash(unknown.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole", "weights bytes=5000-", "weights whole"]);
  });

  it("takes no file of another size than it is said to have", async () => {
    const wrong = model({ weights: file("weights", { bytes: 7 }) });
    await expect(fetchModel(wrong, options())).rejects.toMatchObject({
      kind: "integrity",
      message: expect.stringContaining(`${weights.length} bytes, not 7`),
    });
  });

  it("does not wait for another attempt once it is given up", async () => {
    breakAfter = 5000;
    const abort = new AbortController();
    const began = Date.now();
    const call = fetchModel(model(), options({ pauses: [60_000], signal: abort.signal }));
    setTimeout(() => abort.abort(), 200);
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    expect(Date.now() - began).toBeLessThan(30_000);
  });

  it("starts over where the server knows no ranges", async () => {
    breakAfter = 5000;
    ranges = false;
    const files = await fetchModel(model(), options());
    expect(hash(files.weights)).toBe(kept.sha256);
  });

  it("says that nobody answers", async () => {
    const nowhere = model({ weights: { url: "http://127.0.0.1:1/weights" } });
    await expect(fetchModel(nowhere, options())).rejects.toMatchObject({ kind: "network" });
  });

  it("refuses a file that is not the one that is wanted", async () => {
    const other = model({ weights: file("weights", { ...kept, sha256: hash("another") }) });
    await expect(fetchModel(other, options())).rejects.toMatchObject({ kind: "integrity" });
  });

  it("stops when it is given up", async () => {
    const abort = new AbortController();
    const fetching = fetchModel(
      model(),
      options({ signal: abort.signal, onProgress: () => abort.abort() }),
    );
    await expect(fetching).rejects.toMatchObject({ kind: "cancelled" });
  });
});

describe("keeping a model", () => {
  it("fetches it once", async () => {
    const store = new ModelStore(fakeCaches());
    expect(await store.holds(kept.sha256 ?? "", weights.length)).toBe(false);
    await fetchModel(model(), options({ store }));
    expect(await store.holds(kept.sha256 ?? "", weights.length)).toBe(true);
    const again = await fetchModel(model(), options({ store }));
    expect(hash(again.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole"]);
  });

  it("goes on later where it was given up", async () => {
    const store = new ModelStore(fakeCaches());
    breakAfter = PIECE + 100;
    await expect(fetchModel(model(), options({ store, pauses: [] }))).rejects.toMatchObject({
      kind: "network",
    });
    const files = await fetchModel(model(), options({ store }));
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(ofWeights()).toEqual(["weights whole", `weights bytes=${PIECE + 100}-`]);
  });

  it("does without where there is no room", async () => {
    const store = new ModelStore(fakeCaches(PIECE - 1));
    const files = await fetchModel(model(), options({ store }));
    expect(hash(files.weights)).toBe(kept.sha256);
    expect(await store.holds(kept.sha256 ?? "", weights.length)).toBe(false);
  });

  it("fetches again what was damaged since", async () => {
    const caches = fakeCaches();
    const store = new ModelStore(caches);
    await fetchModel(model(), options({ store }));
    const cache = await caches.open("");
    const [first] = (await cache.keys()) as unknown as string[];
    const damaged = weights.slice(0, PIECE);
    damaged[7] = (damaged[7] ?? 0) ^ 1;
    await cache.put(first as string, new Response(damaged, { headers: { "x-bytes": `${PIECE}` } }));
    const files = await fetchModel(model(), options({ store }));
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
