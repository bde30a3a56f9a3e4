/** A run as a record that can be looked at step by step. */

import type { BeginEvent, CommitEvent, DoneEvent, EngineEvent, RefusalEvent } from "../engine.ts";

/** What has happened in a run so far. */
export class Timeline {
  #begin: BeginEvent | undefined;
  #done: DoneEvent | undefined;
  #lastStep = 0;
  readonly #commits: (CommitEvent | undefined)[] = [];
  readonly #refusals: RefusalEvent[] = [];

  /** Notes what happened next. */
  add(event: EngineEvent): void {
    if (event.type === "begin") {
      this.#begin = event;
      this.#commits.length = event.length;
    } else if (event.type === "commit") {
      this.#commits[event.cell] = event;
    } else if (event.type === "refusal") {
      this.#refusals.push(event);
    } else if (event.type === "done") {
      this.#done = event;
    }
    if ("step" in event) this.#lastStep = Math.max(this.#lastStep, event.step);
  }

  /** Cells of the canvas; 0 before the run has begun. */
  get length(): number {
    return this.#begin?.length ?? 0;
  }

  /** Steps that were planned. */
  get plannedSteps(): number {
    return this.#begin?.steps ?? 0;
  }

  /** The latest step, from 1; 0 before the first. */
  get lastStep(): number {
    return this.#lastStep;
  }

  /** How the run ended, once it has. */
  get done(): DoneEvent | undefined {
    return this.#done;
  }

  /** All refusals, in order. */
  get refusals(): readonly RefusalEvent[] {
    return this.#refusals;
  }

  /** What stands in a cell after a step; `undefined` if it is masked. */
  at(cell: number, step: number): CommitEvent | undefined {
    const commit = this.#commits[cell];
    return commit && commit.step <= step ? commit : undefined;
  }

  /** What was refused in a step. */
  refusedIn(step: number): readonly RefusalEvent[] {
    return this.#refusals.filter((refusal) => refusal.step === step);
  }

  /** What was ever refused for a cell, up to a step. */
  refusedFor(cell: number, step: number): readonly RefusalEvent[] {
    return this.#refusals.filter((refusal) => refusal.cell === cell && refusal.step <= step);
  }

  /** Filled cells after a step. */
  filled(step: number): number {
    return this.#commits.filter((commit) => commit && commit.step <= step).length;
  }
}
