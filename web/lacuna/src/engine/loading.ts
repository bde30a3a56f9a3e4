/** A load that several calls may wait for. */

import { abortable } from "../abortable.ts";
import { asError, type LacunaError, throwIfAborted } from "../fault.ts";
import type { ModelInfo, Progress } from "../model.ts";

/** Told the bytes so far. */
export type OnProgress = (progress: Progress) => void;

/** Tells a listener; what it throws is uncaught, and nobody else's concern. */
export function tell(listener: OnProgress, progress: Progress): void {
  try {
    listener(progress);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** A load under way, or done. It is given up when all who wait for it have given up. */
export class Loading {
  readonly #done: Promise<ModelInfo>;
  readonly #abort = new AbortController();
  readonly #listeners = new Set<OnProgress>();
  readonly #waiting = new Set<symbol>();
  #ended: LacunaError | undefined;
  /** Whether it is done, or has failed: there is nothing to give up then. */
  #settled = false;

  constructor(load: (onProgress: OnProgress, signal: AbortSignal) => Promise<ModelInfo>) {
    const tellAll: OnProgress = (progress) => {
      for (const listener of this.#listeners) tell(listener, progress);
    };
    this.#done = load(tellAll, this.#abort.signal).catch((error: unknown) => {
      throw this.#ended ?? asError(error);
    });
    const settle = () => {
      this.#settled = true;
    };
    this.#done.then(settle, settle);
  }

  /** Whether nobody waits for it any more: it must not be joined. */
  get givenUp(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Ends it, if it is under way: who waits for it learns why. */
  end(why: LacunaError): void {
    this.#ended = why;
    this.#abort.abort(why);
  }

  /** Calls `failed` if the load fails or is given up. */
  onFailure(failed: () => void): void {
    this.#done.catch(failed);
  }

  /** Waits for the load. */
  async join(signal?: AbortSignal, onProgress?: OnProgress): Promise<ModelInfo> {
    throwIfAborted(signal);
    const here = Symbol();
    this.#waiting.add(here);
    if (onProgress) this.#listeners.add(onProgress);
    const giveUp = () => {
      this.#waiting.delete(here);
      if (this.#waiting.size === 0 && !this.#settled) this.#abort.abort(signal?.reason);
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      return await abortable(this.#done, signal);
    } finally {
      signal?.removeEventListener("abort", giveUp);
      this.#waiting.delete(here);
      if (onProgress) this.#listeners.delete(onProgress);
    }
  }
}
