/** A load that several calls may wait for. */

import { cancelled, throwIfAborted } from "../fault.ts";
import type { ModelInfo, Progress } from "../model.ts";

/** Told the bytes so far. */
export type OnProgress = (progress: Progress) => void;

/** A load under way, or done. It is given up when all who wait for it have given up. */
export class Loading {
  readonly #done: Promise<ModelInfo>;
  readonly #abort = new AbortController();
  readonly #listeners = new Set<OnProgress>();
  #waiting = 0;

  constructor(load: (onProgress: OnProgress, signal: AbortSignal) => Promise<ModelInfo>) {
    const tell: OnProgress = (progress) => {
      for (const listener of this.#listeners) listener(progress);
    };
    this.#done = load(tell, this.#abort.signal);
    this.#done.catch(() => {});
  }

  /** Whether nobody waits for it any more: it must not be joined. */
  get givenUp(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Calls `failed` if the load fails or is given up. */
  onFailure(failed: () => void): void {
    this.#done.catch(failed);
  }

  /** Waits for the load. */
  async join(signal?: AbortSignal, onProgress?: OnProgress): Promise<ModelInfo> {
    throwIfAborted(signal);
    this.#waiting += 1;
    if (onProgress) this.#listeners.add(onProgress);
    let giveUp = () => {};
    try {
      return await new Promise<ModelInfo>((resolve, reject) => {
        giveUp = () => {
          reject(cancelled(signal));
          if (this.#waiting === 1) this.#abort.abort(signal?.reason);
        };
        signal?.addEventListener("abort", giveUp, { once: true });
        this.#done.then(resolve, reject);
      });
    } finally {
      signal?.removeEventListener("abort", giveUp);
      this.#waiting -= 1;
      if (onProgress) this.#listeners.delete(onProgress);
    }
  }
}
