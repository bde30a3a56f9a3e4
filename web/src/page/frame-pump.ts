/**
 * Hands things on a few a frame, so that a step's tokens appear one after the
 * other and no frame has more to do than it can.
 */

/** Frames over which whatever has piled up is spread. */
const SPREAD = 8;

export class FramePump<T> {
  readonly #take: (item: T) => void;
  #queue: T[] = [];
  #frame: number | undefined;
  #drained: (() => void)[] = [];

  constructor(take: (item: T) => void) {
    this.#take = take;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.flush();
    });
  }

  /** Adds items to be handed on in the coming frames. */
  push(items: readonly T[]): void {
    this.#queue.push(...items);
    // No frames are drawn for a page that nobody sees.
    if (document.hidden) this.flush();
    else this.#frame ??= requestAnimationFrame(() => this.#pump());
  }

  /** Resolves once all that was added has been handed on. */
  drained(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** Hands everything on at once. */
  flush(): void {
    this.#hand(this.#queue.length);
  }

  /** Forgets what has not been handed on. */
  clear(): void {
    this.#queue = [];
    this.#hand(0);
  }

  #pump(): void {
    this.#frame = undefined;
    this.#hand(Math.ceil(this.#queue.length / SPREAD));
    if (this.#queue.length > 0) this.#frame = requestAnimationFrame(() => this.#pump());
  }

  #hand(count: number): void {
    for (const item of this.#queue.splice(0, count)) this.#take(item);
    if (this.#queue.length > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
