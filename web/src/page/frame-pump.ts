/**
 * Hands things on a few a frame, so that a step's tokens appear one after the
 * other and no frame has more to do than it can.
 */

/** Frames over which whatever has piled up is spread. */
const SPREAD = 8;

/**
 * Milliseconds without a frame after which a timer stands in, and between its turns: a page
 * that other windows hide may be told that it is seen and get no frames.
 */
const LATE = 250;
const TURN = 16;

export class FramePump<T> {
  readonly #take: (item: T) => void;
  readonly #pause: (item: T) => number;
  #notBefore = 0;
  #queue: T[] = [];
  #frame: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drained: (() => void)[] = [];

  /** `pause` says for how many milliseconds nothing comes after an item. */
  constructor(take: (item: T) => void, pause: (item: T) => number) {
    this.#take = take;
    this.#pause = pause;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.flush();
    });
  }

  /** Adds items to be handed on in the coming frames. */
  push(items: readonly T[]): void {
    this.#queue.push(...items);
    // No frames are drawn for a page that nobody sees.
    if (document.hidden) this.flush();
    else if (this.#frame === undefined) this.#await(LATE);
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
    this.#notBefore = 0;
    this.#hand(0);
  }

  /** Goes on in the next frame; without one after so many milliseconds. */
  #await(wait: number): void {
    const frame = requestAnimationFrame((now) => {
      clearTimeout(this.#timer);
      this.#pump(now, LATE);
    });
    this.#frame = frame;
    this.#timer = setTimeout(() => {
      cancelAnimationFrame(frame);
      this.#pump(performance.now(), TURN);
    }, wait);
  }

  #pump(now: number, wait: number): void {
    this.#frame = undefined;
    if (now >= this.#notBefore) this.#hand(this.#dueBy(now));
    if (this.#queue.length > 0) this.#await(wait);
  }

  /** How many items come in this frame: not more than up to the next pause. */
  #dueBy(now: number): number {
    const most = Math.ceil(this.#queue.length / SPREAD);
    for (let index = 0; index < most; index++) {
      const item = this.#queue[index];
      const pause = item === undefined ? 0 : this.#pause(item);
      if (pause === 0) continue;
      this.#notBefore = now + pause;
      return index + 1;
    }
    return most;
  }

  #hand(count: number): void {
    for (const item of this.#queue.splice(0, count)) this.#take(item);
    if (this.#queue.length > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
