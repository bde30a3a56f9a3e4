/** Waiting that can be given up. */

import { cancelled, throwIfAborted } from "./fault.ts";

/** Waits for what others may wait for too; whoever gives up rejects at once, and alone. */
export async function abortable<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  // Whoever gave up does not hear of a failure either.
  promise.catch(() => {});
  throwIfAborted(signal);
  if (!signal) return promise;
  let giveUp = () => {};
  try {
    return await new Promise<Value>((resolve, reject) => {
      giveUp = () => reject(cancelled(signal));
      signal.addEventListener("abort", giveUp, { once: true });
      promise.then(resolve, reject);
    });
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
