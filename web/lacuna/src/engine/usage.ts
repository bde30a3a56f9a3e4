/** What a text took, in tokens, as doors to other SDKs tell it. */

import type { EngineEvent } from "../events.ts";

/** Tokens of a text, and of its prompt as far as that is known. */
export interface TokenCounts {
  readonly prompt: number | undefined;
  /** Those that stand in the text: what was masked again is not counted twice, ends are not. */
  readonly written: number;
}

/** The tokens of a text by its events. */
export function tokenCounts(events: readonly EngineEvent[]): TokenCounts {
  let prompt: number | undefined;
  const written = new Set<number>();
  for (const event of events) {
    if (event.type === "begin") prompt = event.promptTokens;
    else if (event.type === "commit" && !event.end) written.add(event.cell);
    else if (event.type === "remask") written.delete(event.cell);
  }
  return { prompt, written: written.size };
}
