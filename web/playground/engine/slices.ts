/**
 * Work in slices: between two, messages are heard, and a newer key press ends what an older
 * one began.
 */

/** What a step of the work is done under. */
export interface Turn {
  /** Whether a newer one has begun. */
  readonly isOver: boolean;
}

/** Thrown where the work is of no use any more. */
export class Over extends Error {}

/** Milliseconds after which others are heard. */
const SLICE = 12;

export class Slices {
  readonly #alive: () => void;
  #begun = performance.now();

  /** `alive` is called at the end of each slice. */
  constructor(alive: () => void) {
    this.#alive = alive;
  }

  /** Goes on at once, or in the next slice; throws if the turn is over. */
  async next(turn: Turn): Promise<void> {
    if (performance.now() - this.#begun >= SLICE) await this.rest();
    if (turn.isOver) throw new Over();
  }

  /** Ends the slice. */
  async rest(): Promise<void> {
    this.#alive();
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    });
    this.#begun = performance.now();
  }
}
