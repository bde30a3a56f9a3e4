/** Signals of two who may give a call up. */

/** A signal that is aborted with either; `AbortSignal.any` is younger than workers of modules. */
export function eitherSignal(own: AbortController, other: AbortSignal | undefined): AbortSignal {
  const forward = () => own.abort(other?.reason);
  if (other?.aborted) forward();
  else other?.addEventListener("abort", forward, { once: true, signal: own.signal });
  return own.signal;
}
