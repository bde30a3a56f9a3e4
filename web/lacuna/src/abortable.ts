/** Waiting that can be given up. */

import { cancelled, throwIfAborted } from "./fault.ts";

/** Whether a value is an `AbortSignal`, as far as that is needed here. */
export function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

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
