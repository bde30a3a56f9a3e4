/** Repeated measurements. */

import type { Times } from "./report.ts";

/** Of the milliseconds of each run. */
export function timesOf(milliseconds: readonly number[]): Times {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return {
    runs: sorted.length,
    fastest: at(0),
    median: at(sorted.length >> 1),
    slowest: at(sorted.length - 1),
  };
}

/** A thing to be timed, and what its runs took. */
export class Contestant {
  readonly milliseconds: number[] = [];
  readonly #run: () => unknown;

  constructor(run: () => unknown) {
    this.#run = run;
  }

  async time(): Promise<void> {
    const begin = performance.now();
    await this.#run();
    this.milliseconds.push(performance.now() - begin);
  }
}

/**
 * Runs all in turns, so that other work on the machine hits all of them: once to warm up,
 * then until the time is over, three rounds at least. Threads that one of them leaves
 * spinning have time to go to sleep before the next.
 */
export async function inTurns(contestants: Contestant[], milliseconds: number): Promise<void> {
  for (const contestant of contestants) await contestant.time();
  for (const contestant of contestants) contestant.milliseconds.length = 0;
  const end = performance.now() + milliseconds;
  for (let round = 0; round < 3 || performance.now() < end; round++) {
    for (const contestant of contestants) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      await contestant.time();
    }
  }
}
