/** A run as a record that can be looked at step by step. */

import type {
  BeginEvent,
  CommitEvent,
  DoneEvent,
  EngineEvent,
  FiguresEvent,
  GrammarOrigin,
  RefusalEvent,
} from "lacuna-lm";

/** What a cell holds from a step on; nothing where it was masked again. */
interface Change {
  readonly step: number;
  readonly commit: CommitEvent | undefined;
}

/** What has happened in a run so far. */
export class Timeline {
  #begin: BeginEvent | undefined;
  #done: DoneEvent | undefined;
  #taken = 0;
  #changes: Change[][] = [];
  readonly #refusals: RefusalEvent[] = [];
  readonly #figures: FiguresEvent[] = [];

  /** Notes what happened next. */
  add(event: EngineEvent): void {
    if (event.type === "begin") {
      this.#begin = event;
      this.#changes = Array.from({ length: event.length }, () => []);
    } else if (event.type === "commit") {
      this.#changes[event.cell]?.push({ step: event.step, commit: event });
    } else if (event.type === "remask") {
      this.#changes[event.cell]?.push({ step: event.step, commit: undefined });
    } else if (event.type === "refusal") {
      this.#refusals.push(event);
    } else if (event.type === "figures") {
      this.#figures.push(event);
    } else if (event.type === "done") {
      this.#done = event;
    }
    if ("step" in event) this.#taken = Math.max(this.#taken, event.step + 1);
  }

  /** Cells of the canvas; 0 before the run has begun. */
  get length(): number {
    return this.#begin?.length ?? 0;
  }

  /** Steps that were planned. */
  get plannedSteps(): number {
    return this.#begin?.steps ?? 0;
  }

  /** Where the compiled grammar came from, if there is one. */
  get grammar(): GrammarOrigin | undefined {
    return this.#begin?.grammar;
  }

  /** Steps that were taken, the one under way among them. */
  get taken(): number {
    return this.#taken;
  }

  /** How the run ended, once it has. */
  get done(): DoneEvent | undefined {
    return this.#done;
  }

  /** All refusals, in order. */
  get refusals(): readonly RefusalEvent[] {
    return this.#refusals;
  }

  /** What each step cost, in order. */
  get figures(): readonly FiguresEvent[] {
    return this.#figures;
  }

  /** What stands in a cell after so many steps; `undefined` if it is masked. */
  at(cell: number, steps: number): CommitEvent | undefined {
    return this.#changes[cell]?.findLast(({ step }) => step < steps)?.commit;
  }

  /** What was refused in the last of so many steps. */
  refusedIn(steps: number): readonly RefusalEvent[] {
    return this.#refusals.filter(({ step }) => step === steps - 1);
  }

  /** What was refused for a cell within so many steps. */
  refusedFor(cell: number, steps: number): readonly RefusalEvent[] {
    return this.#refusals.filter((refusal) => refusal.cell === cell && refusal.step < steps);
  }

  /** Filled cells after so many steps. */
  filled(steps: number): number {
    return this.#changes.filter((_, cell) => this.at(cell, steps)).length;
  }

  /** The text after so many steps, with a sign for each masked cell. */
  text(steps: number, sign = "░"): string {
    const decoder = new TextDecoder();
    let text = "";
    for (let cell = 0; cell < this.length; cell++) {
      const commit = this.at(cell, steps);
      if (commit?.end) break;
      text += commit ? decoder.decode(commit.bytes, { stream: true }) : decoder.decode() + sign;
    }
    return text + decoder.decode();
  }
}
