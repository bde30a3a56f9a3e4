/** Loading a model, and saying how far it is and where it runs then. */

import type { DevicePreference, DeviceReport, Engine, ModelInfo, Progress } from "lacuna-lm";
import { byId } from "./dom.ts";
import { sentence } from "./findings-view.ts";
import { counted, megabytes } from "./words.ts";

const bar = byId("load-progress", HTMLProgressElement);
const text = byId("load-text", HTMLSpanElement);
const box = byId("loading", HTMLDivElement);

/**
 * Loads an engine's model; the box shows its bytes meanwhile, unless the load is given up: then it
 * is another's.
 */
export async function load(
  engine: Engine,
  device: DevicePreference,
  signal: AbortSignal,
): Promise<ModelInfo> {
  box.hidden = false;
  bar.removeAttribute("value");
  text.textContent = "Loading the model…";
  sayDevice("");
  const onProgress = ({ loaded, total }: Progress) => {
    if (signal.aborted) return;
    if (total !== null) {
      bar.max = total;
      bar.value = loaded;
    }
    const of = total === null ? "" : ` of ${megabytes(total)}`;
    text.textContent = `${megabytes(loaded)}${of} MB`;
  };
  try {
    const info = await engine.load({ device, onProgress, signal });
    introduce(info);
    return info;
  } finally {
    if (!signal.aborted) box.hidden = true;
  }
}

/** Says where the model runs. */
export function sayDevice(words: string): void {
  byId("device", HTMLParagraphElement).textContent = words;
}

function introduce({ parameters, layers, hidden, vocabulary, maxPositions, device }: ModelInfo) {
  const million = (parameters / 1e6).toFixed(1);
  byId("model-facts", HTMLParagraphElement).textContent =
    `Model: ${million} M parameters, ${counted(layers, "layer")} of ${hidden}, ${counted(vocabulary, "token")}.`;
  sayDevice(whereItRuns(device));
  byId("length", HTMLInputElement).max = String(maxPositions);
}

function whereItRuns({ device, adapter, why }: DeviceReport): string {
  const place = device === "cpu" ? "On the CPU" : `On the GPU${adapter ? ` (${adapter})` : ""}`;
  return sentence(`${place}: ${why}`);
}
