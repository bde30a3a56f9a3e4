/** Steps on the processor, ours and another runtime's in turns, with so many threads. */

import { counted } from "../src/page/words.ts";
import { type Bindings, engineFor } from "./engine.ts";
import type { CpuEntry, CpuPlan, FromWorker, Rival } from "./report.ts";
import { loadRuntime, type RivalModel, rivalModel } from "./rival.ts";
import { Contestant, inTurns, timesOf } from "./times.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const say = (message: FromWorker<CpuEntry[]>) => scope.postMessage(message);

type Model = ReturnType<Bindings["BenchModel"]["random"]>;
type Runtime = Awaited<ReturnType<typeof loadRuntime>>;

scope.onmessage = async ({ data }: MessageEvent<CpuPlan>) => {
  try {
    say({ type: "done", result: await measure(data) });
  } catch (error) {
    say({ type: "failed", message: messageOf(error) });
  }
};

async function measure(plan: CpuPlan): Promise<CpuEntry[]> {
  const { BenchModel } = await engineFor(plan.threads);
  const runtime = await loadRuntime("wasm", plan.threads);
  const folder = new URL("model/", new URL(import.meta.env.BASE_URL, self.location.origin));
  const read = async (name: string) =>
    new Uint8Array(await (await fetch(new URL(name, folder))).arrayBuffer());
  const mini = BenchModel.load(await read("config.json"), await read("model.safetensors"));
  const models: [string, Model][] = [
    ["lacuna-mini", mini],
    ["10 M, random", BenchModel.random("10m", "int8")],
  ];
  const entries = [];
  for (const [name, model] of models) {
    for (const canvas of plan.canvases) {
      say({
        type: "progress",
        text: `${name}, ${canvas} cells, ${counted(plan.threads, "thread")}`,
      });
      entries.push(await compare(name, model, canvas, plan, runtime));
    }
  }
  return entries;
}

async function compare(
  name: string,
  model: Model,
  canvas: number,
  plan: CpuPlan,
  runtime: Runtime,
): Promise<CpuEntry> {
  const bench = model.cpu(canvas);
  bench.setThreads(plan.threads);
  const rivals: { name: string; model: RivalModel }[] = [];
  for (const [form, int8] of [
    ["f32", false],
    ["int8", true],
  ] as const) {
    const file = model.onnx(canvas, int8);
    const rival = await rivalModel(runtime, "wasm", file, bench.ids(), bench.rows());
    rivals.push({ name: `onnxruntime-web ${rival.version}, ${form}`, model: rival });
  }

  bench.pass();
  const logits = bench.logits();
  const differences: number[] = [];
  for (const { model } of rivals) differences.push(largestDifference(logits, await model.run()));

  const ours = new Contestant(() => bench.pass());
  const tiles = new Contestant(() => bench.tiles());
  const theirs = rivals.map(({ model }) => new Contestant(() => model.run()));
  const alone = plan.threads === 1;
  await inTurns([ours, ...(alone ? [tiles] : []), ...theirs], plan.milliseconds);

  const step = timesOf(ours.milliseconds);
  const passRate = bench.multiplyAdds() / step.fastest;
  const tileRate = bench.tiles() / timesOf(tiles.milliseconds).fastest;
  const entry: CpuEntry = {
    model: name,
    parameters: model.parameters,
    canvas,
    threads: plan.threads,
    step,
    ofMicrokernel: alone ? passRate / tileRate : undefined,
    largestLogit: logits.reduce((most, logit) => Math.max(most, Math.abs(logit)), 0),
    rivals: rivals.map(({ name }, at): Rival => {
      const times = timesOf(theirs[at]?.milliseconds ?? []);
      const difference = differences[at] ?? Number.NaN;
      return { name, times, ratio: times.median / step.median, difference };
    }),
  };
  for (const { model } of rivals) await model.release();
  bench.free();
  return entry;
}

function largestDifference(ours: Float32Array, theirs: Float32Array): number {
  if (ours.length !== theirs.length) return Number.POSITIVE_INFINITY;
  return ours.reduce((most, logit, at) => {
    const difference = Math.abs(logit - (theirs[at] ?? Number.NaN));
    // A difference that is no number is the largest of all.
    return difference <= most ? most : difference;
  }, 0);
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown } | null)?.message ?? error);
}
