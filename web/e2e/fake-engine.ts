/**
 * A worker that speaks the engine's protocol and writes nonsense of any length at any pace:
 * what the page does with events, without what a model takes.
 */

import type { Page } from "@playwright/test";

/** How the worker writes. */
export interface Pace {
  readonly cells: number;
  readonly steps: number;
  readonly stepMs: number;
}

/** Puts the worker in place of the page's. */
export async function fakeEngine(page: Page, pace: Pace): Promise<void> {
  await page.addInitScript(({ cells, steps, stepMs }) => {
    const info = {
      ...{ parameters: 1, vocabulary: 9, layers: 1, hidden: 1, maxPositions: 4096 },
      device: { device: "cpu", threads: 1, why: "as a test has it" },
    };
    const bytes = new TextEncoder().encode("token");
    const figures = {
      ...{
        modelMs: 3,
        checkerMs: 1,
        selectionMs: 0,
        masksMs: 0,
        recoveryMs: 0,
        besideMs: 0,
        checks: 2,
      },
      ...{ agreed: 1, refusals: 1, batches: 1, batchesTried: 1, batchTokens: 4, recovered: 0 },
    };
    // A step's commits are spread over the canvas.
    const order = Array.from({ length: cells }, (_, index) => (index * 193) % cells);
    const quota = Math.ceil(cells / steps);
    const stepOf = (step: number): object[] => {
      const filled = order.slice(step * quota, (step + 1) * quota);
      const token = { step, token: 3, bytes, probability: 0.4 };
      return [
        { type: "step", step, steps, masked: cells - step * quota },
        { type: "refusal", ...token, cell: filled[0], reason: "impossible" },
        ...filled.map((cell, index) => ({
          ...{ type: "commit", ...token, cell, how: index % 2 ? "batch" : "model", end: false },
        })),
        { type: "figures", step, ...figures },
      ];
    };
    class FakeWorker extends EventTarget {
      onmessage: ((event: object) => void) | null = null;
      constructor() {
        super();
        setTimeout(() => this.#say({ type: "ready" }));
      }
      terminate() {}
      #say(data: object) {
        this.onmessage?.({ data });
      }
      postMessage({ type, id }: { type: string; id: number }) {
        if (type === "load") setTimeout(() => this.#say({ type: "loaded", id, info }));
        if (type === "compile") setTimeout(() => this.#say({ type: "compiled", id, info: {} }));
        if (type === "generate") this.#write(id);
      }
      #write(id: number) {
        const begin = {
          type: "begin",
          length: cells,
          steps,
          promptTokens: 1,
          warnings: [],
          ends: [0],
        };
        this.#say({ type: "events", id, events: [{ ...begin, constrained: true }] });
        let step = 0;
        const next = () => {
          this.#say({ type: "events", id, events: stepOf(step) });
          step += 1;
          if (step < steps) {
            setTimeout(next, stepMs);
            return;
          }
          const done = { type: "done", text: '{"a":1}', outcome: "complete", steps };
          this.#say({ type: "events", id, events: [{ ...done, timings: figures }] });
          this.#say({ type: "finished", id });
        };
        setTimeout(next, stepMs);
      }
    }
    Object.assign(window, { Worker: FakeWorker });
  }, pace);
}
