/** An engine that writes what a test says, out of order, for the doors onto it. */

import { Engine, type GenerateOptions } from "../src/engine/engine.ts";
import { EventQueue, type Generation } from "../src/engine/generation.ts";
import type { EngineEvent, GrammarWarning } from "../src/events.ts";
import { cancelled } from "../src/fault.ts";
import { commit, done, files, step } from "./doubles.ts";

/** An engine, and what it was asked. */
export function fakeWriter(
  tokens: readonly (string | Uint8Array)[],
  text: string,
  warnings: readonly GrammarWarning[] = [],
) {
  const asked: GenerateOptions[] = [];
  const engine = new Engine({ model: files }, () => {
    throw new Error("no worker is needed");
  });
  engine.generate = (options: GenerateOptions): Generation<never> => {
    asked.push(options);
    return new EventQueue<never>(
      async (push) => {
        const last = tokens.length - 1;
        const begin: EngineEvent = {
          type: "begin",
          length: tokens.length + 1,
          steps: 2,
          promptTokens: 5,
          constrained: true,
          warnings,
          ends: [0],
        };
        push([begin, step(0)]);
        // The last token and the end first, then the others.
        push([commit(last, tokens[last] ?? ""), commit(last + 1, "", true)]);
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (options.signal?.aborted) throw cancelled(options.signal);
        push([step(1), ...tokens.slice(0, last).map((token, cell) => commit(cell, token))]);
        push([done(text)]);
      },
      async () => undefined as never,
    );
  };
  return { engine, asked };
}
