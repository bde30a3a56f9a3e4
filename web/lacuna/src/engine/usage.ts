/** What a text took, in tokens, as doors to other SDKs tell it. */

import type { EngineEvent } from "../events.ts";

/** Tokens of a text, and of its prompt as far as that is known. */
export interface TokenCounts {
  readonly prompt: number | undefined;
  /** Those that stand in the text, up to its first end: what was masked again counts once. */
  readonly written: number;
}

/** The tokens of a text by its events. */
export function tokenCounts(events: readonly EngineEvent[]): TokenCounts {
  let prompt: number | undefined;
  const written = new Set<number>();
  const ends = new Set<number>();
  for (const event of events) {
    if (event.type === "begin") prompt = event.promptTokens;
    else if (event.type === "commit") (event.end ? ends : written).add(event.cell);
    else if (event.type === "remask") for (const cells of [written, ends]) cells.delete(event.cell);
  }
  const end = Math.min(...ends);
  return { prompt, written: [...written].filter((cell) => cell < end).length };
}
