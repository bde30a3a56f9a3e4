/** The page for benchmarks. */

import "./bench.css";
import { plot } from "./plot.ts";
import type { CpuEntry, CpuPlan, FromWorker, GpuMeasurement, GpuPlan, Report } from "./report.ts";
import { elementsOf, markdown } from "./tables.ts";

declare global {
  interface Window {
    /** The last report and the same in Markdown, for whoever drives the page. */
    lacunaBench?: { report: Report; markdown: string };
  }
}

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const field = (id: string) => find<HTMLInputElement>(id).value;
const numbers = (text: string) => text.split(",").map(Number).filter(Boolean);
const status = find("status");
const parameters = new URLSearchParams(location.search);

for (const id of ["canvases", "seconds", "sizes", "gpu-canvases"]) {
  const value = parameters.get(id);
  if (value !== null) find<HTMLInputElement>(id).value = value;
}

find<HTMLFormElement>("plan").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = find<HTMLFormElement>("plan").querySelector("button");
  if (button) button.disabled = true;
  try {
    show(await measure());
    status.textContent = "Done.";
  } catch (error) {
    status.textContent = `Failed: ${error instanceof Error ? error.message : error}`;
  } finally {
    if (button) button.disabled = false;
  }
});

async function measure(): Promise<Report> {
  const processors = navigator.hardwareConcurrency;
  const plan = {
    canvases: numbers(field("canvases")),
    milliseconds: 1000 * Number(field("seconds")),
  };
  const report: Report = {
    browser: navigator.userAgent,
    processors,
    isolated: crossOriginIsolated,
    cpu: [],
    gpu: undefined,
    withoutGpu: undefined,
  };
  for (const threads of crossOriginIsolated && processors > 1 ? [1, processors] : [1]) {
    report.cpu.push(...(await ask<CpuPlan, CpuEntry[]>(cpuWorker(), { ...plan, threads })));
  }
  const gpuPlan = {
    sizes: field("sizes").split(","),
    canvases: numbers(field("gpu-canvases")),
    software: parameters.has("software"),
  };
  try {
    report.gpu = await ask<GpuPlan, GpuMeasurement>(gpuWorker(), gpuPlan);
  } catch (error) {
    report.withoutGpu = error instanceof Error ? error.message : String(error);
  }
  return report;
}

const cpuWorker = () => new Worker(new URL("./cpu.worker.ts", import.meta.url), { type: "module" });
const gpuWorker = () => new Worker(new URL("./gpu.worker.ts", import.meta.url), { type: "module" });

/** A worker's answer; the worker and its threads end with it. */
function ask<Plan, Result>(worker: Worker, plan: Plan): Promise<Result> {
  const answer = new Promise<Result>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FromWorker<Result>>) => {
      if (data.type === "progress") status.textContent = `Measuring: ${data.text} …`;
      else if (data.type === "done") resolve(data.result);
      else reject(new Error(data.message));
    };
    worker.onerror = ({ message }) =>
      reject(new Error(message || "the worker could not be loaded"));
    worker.postMessage(plan);
  });
  return answer.finally(() => worker.terminate());
}

function show(report: Report): void {
  const text = markdown(report);
  window.lacunaBench = { report, markdown: text };
  find("plot").replaceChildren(plot(report));
  find("tables").replaceChildren(...elementsOf(text));
  const json = new Blob([JSON.stringify(report, null, 2)], { type: "application/json" });
  find<HTMLAnchorElement>("download").href = URL.createObjectURL(json);
  find("results").hidden = false;
}
