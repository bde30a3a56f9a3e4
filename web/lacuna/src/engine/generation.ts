/** A text while it is written: its events as they come, and what comes of them. */

import type { DoneEvent, EngineEvent, GrammarWarning, Timings } from "../events.ts";
import { asError, FAULT, LacunaError } from "../fault.ts";

/** A text that was written. */
export interface GenerationResult<Value> {
  readonly text: string;
  /** What the text stands for: what its schema's validator gives, JSON, or the text. */
  readonly value: Value;
  readonly outcome: DoneEvent["outcome"];
  /** Steps that were taken. */
  readonly steps: number;
  readonly timings: Timings;
  /** What looks wrong with the grammar although it can be used. */
  readonly warnings: readonly GrammarWarning[];
  /** All that happened, in order. */
  readonly events: readonly EngineEvent[];
}

/**
 * A text under way: whoever iterates it gets its events from the first on, as they come,
 * and when it is over again all of them; the result is there without.
 */
export interface Generation<Value> extends AsyncIterable<EngineEvent> {
  /**
   * Resolves when the text is written. Rejects with a {@link LacunaError}, as iterating
   * does; of the kind `cancelled` if the signal was aborted.
   */
  readonly result: Promise<GenerationResult<Value>>;
}

/** Events between the worker, which never waits, and whoever reads them. */
export class EventQueue<Value> implements Generation<Value> {
  readonly result: Promise<GenerationResult<Value>>;
  readonly #all: EngineEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  #over = false;

  /**
   * `write` writes the text, and hands over its events as they come; `value` reads the
   * text that came of it.
   */
  constructor(
    write: (push: (events: readonly EngineEvent[]) => void) => Promise<void>,
    value: (text: string) => Promise<Value>,
  ) {
    this.result = this.#run(write, value);
    // Whoever only iterates learns of the failure there.
    this.result.catch(() => {});
  }

  async #run(
    write: (push: (events: readonly EngineEvent[]) => void) => Promise<void>,
    value: (text: string) => Promise<Value>,
  ): Promise<GenerationResult<Value>> {
    try {
      await write((events) => {
        this.#all.push(...events);
        this.#wake();
      });
      const done = this.#all.find((event) => event.type === "done");
      if (!done) {
        const message = "The text ended without a result.";
        throw new LacunaError({ kind: FAULT.internal, message });
      }
      const { text, outcome, steps, timings } = done;
      const begin = this.#all.find((event) => event.type === "begin");
      const warnings = begin?.warnings ?? [];
      const events = this.#all;
      return { text, value: await value(text), outcome, steps, timings, warnings, events };
    } catch (error) {
      throw asError(error);
    } finally {
      this.#over = true;
      this.#wake();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EngineEvent> {
    let read = 0;
    for (;;) {
      const event = this.#all[read];
      if (event) {
        read += 1;
        yield event;
      } else if (this.#over) {
        break;
      } else {
        await new Promise<void>((resolve) => {
          this.#waiting.push(resolve);
        });
      }
    }
    await this.result;
  }

  /** Has all who wait look again. */
  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
