/** Steps on the graphics card; beside them another runtime's, where the card is a real one. */

import { type Bindings, engineFor } from "./engine.ts";
import type { FromWorker, GpuMeasurement, GpuPlan } from "./report.ts";
import { loadRuntime, rivalModel } from "./rival.ts";
import { Contestant, inTurns, timesOf } from "./times.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const say = (message: FromWorker<GpuMeasurement>) => scope.postMessage(message);

scope.onmessage = async ({ data }: MessageEvent<GpuPlan>) => {
  try {
    say({ type: "done", result: await measure(data) });
  } catch (error) {
    const message = String((error as { message?: unknown } | null)?.message ?? error);
    say({ type: "failed", message });
  }
};

async function measure(plan: GpuPlan): Promise<GpuMeasurement> {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw new Error("this browser gives no WebGPU adapter");
  if (isSoftware(adapter) && !plan.software) {
    throw new Error("the adapter is software: figures of it would say nothing of any card");
  }
  const engine = await engineFor(1);
  const { sizes, canvases } = plan;
  const tell = (text: string) => say({ type: "progress", text });
  const measured = (await engine.measureGpu({ sizes, canvases }, tell)) as Omit<
    GpuMeasurement,
    "rivals"
  >;
  const real = !measured.report.adapter.software;
  return { ...measured, rivals: real ? await rivals(engine, canvases) : [] };
}

/** The 10 M model in f32. */
async function rivals(engine: Bindings, canvases: number[]): Promise<GpuMeasurement["rivals"]> {
  const runtime = await loadRuntime("webgpu", 1);
  const model = engine.BenchModel.random("10m", "int8");
  const measured = [];
  for (const canvas of canvases) {
    say({ type: "progress", text: `onnxruntime-web on the card, ${canvas} cells` });
    const bench = model.cpu(canvas);
    const file = model.onnx(canvas, false);
    const rival = await rivalModel(runtime, "webgpu", file, bench.ids(), bench.rows());
    const contestant = new Contestant(() => rival.run());
    await inTurns([contestant], 2000);
    measured.push({ canvas, times: timesOf(contestant.milliseconds) });
    await rival.release();
    bench.free();
  }
  return measured;
}

/** Chromium's own renderer on the processor names itself. */
function isSoftware({ info }: GPUAdapter): boolean {
  return (
    info.isFallbackAdapter ||
    /swiftshader|llvmpipe/i.test(`${info.vendor} ${info.description} ${info.architecture}`)
  );
}
