/** What is measured, as it goes from the workers to the page and into the JSON. */

/** Milliseconds of runs of the same work. */
export interface Times {
  runs: number;
  fastest: number;
  median: number;
  slowest: number;
}

/** Another runtime on the same transformer and input. */
export interface Rival {
  /** Its name, version and the form of its products. */
  name: string;
  times: Times;
  /** Its median over ours: above 1 we are faster. */
  ratio: number;
  /** The largest difference between its logits and ours. */
  difference: number;
}

/** One model on the processor at one length of the canvas. */
export interface CpuEntry {
  model: string;
  parameters: number;
  canvas: number;
  threads: number;
  step: Times;
  /** The innermost loop's share of its own rate that the whole pass reaches; one thread only. */
  ofMicrokernel: number | undefined;
  /** The largest logit, to compare differences with. */
  largestLogit: number;
  rivals: Rival[];
}

/** A step on the graphics card: what of the engine's own report the page shows. */
export interface GpuEntry {
  size: string;
  format: string;
  half: boolean;
  canvas: number;
  skipped: string | null;
  step: { step_micros: number } | null;
}

/** The engine's report of a card, with the same as Markdown. */
export interface GpuMeasurement {
  report: { adapter: { name: string; software: boolean }; steps: GpuEntry[] };
  markdown: string;
  /** onnxruntime-web on the same card; none where the card is software. */
  rivals: { canvas: number; times: Times }[];
}

/** Everything. */
export interface Report {
  browser: string;
  processors: number;
  isolated: boolean;
  cpu: CpuEntry[];
  gpu: GpuMeasurement | undefined;
  /** Why there are no figures of a card. */
  withoutGpu: string | undefined;
}

/** What a worker of the processor is asked. */
export interface CpuPlan {
  threads: number;
  canvases: number[];
  milliseconds: number;
}

/** What a worker of the card is asked. */
export interface GpuPlan {
  sizes: string[];
  canvases: number[];
  /** Measure even where the card is software. */
  software: boolean;
}

/** What a worker says. */
export type FromWorker<T> =
  | { type: "progress"; text: string }
  | { type: "done"; result: T }
  | { type: "failed"; message: string };
