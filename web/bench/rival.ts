/** onnxruntime-web, loaded from its own files beside the page. */

interface Tensor {
  readonly data: Float32Array;
}

interface Session {
  run(feeds: Record<string, unknown>): Promise<Record<string, Tensor>>;
  release(): Promise<void>;
}

interface Runtime {
  env: {
    wasm: { numThreads: number; wasmPaths: string };
    versions: Record<string, string>;
  };
  Tensor: new (type: "int64", data: BigInt64Array, shape: number[]) => unknown;
  InferenceSession: {
    create(model: Uint8Array, options: Record<string, unknown>): Promise<Session>;
  };
}

/** A model in the other runtime, with its input. */
export interface RivalModel {
  version: string;
  run(): Promise<Float32Array>;
  release(): Promise<void>;
}

/** Where it computes. */
export type Provider = "wasm" | "webgpu";

/** Loads the runtime; `threads` counts for the first call of a worker only. */
export async function loadRuntime(provider: Provider, threads: number): Promise<Runtime> {
  const folder = new URL("ort/", new URL(import.meta.env.BASE_URL, self.location.origin)).href;
  const file = provider === "wasm" ? "ort.wasm.min.mjs" : "ort.webgpu.min.mjs";
  const runtime = (await import(/* @vite-ignore */ folder + file)) as Runtime;
  runtime.env.wasm.numThreads = threads;
  runtime.env.wasm.wasmPaths = folder;
  return runtime;
}

/** A model and its input: cells and wanted cells. */
export async function rivalModel(
  runtime: Runtime,
  provider: Provider,
  file: Uint8Array,
  ids: Uint32Array,
  rows: Uint32Array,
): Promise<RivalModel> {
  const session = await runtime.InferenceSession.create(file, {
    executionProviders: [provider],
    graphOptimizationLevel: "all",
  });
  const tensor = (numbers: Uint32Array) =>
    new runtime.Tensor("int64", BigInt64Array.from(numbers, BigInt), [numbers.length]);
  const feeds = { ids: tensor(ids), rows: tensor(rows) };
  return {
    version: runtime.env.versions.web ?? runtime.env.versions.common ?? "",
    async run() {
      const { logits } = await session.run(feeds);
      if (!logits) throw new Error("the other runtime gave no logits");
      return logits.data;
    },
    release: () => session.release(),
  };
}
