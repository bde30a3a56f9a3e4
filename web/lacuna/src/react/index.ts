/**
 * A hook for React: a text as it fills, out of order, its value, and a way to give it up.
 *
 * ```tsx
 * import { createEngine } from "lacuna-lm";
 * import { useCompletion } from "lacuna-lm/react";
 *
 * const engine = createEngine({ model: "/models/lacuna-small/" });
 *
 * function Ask() {
 *   const { text, value, complete } = useCompletion({ engine, grammar: { jsonSchema: schema } });
 *   return <button onClick={() => complete("play some jazz")}>{value?.artist ?? text}</button>;
 * }
 * ```
 *
 * @module
 */

import { useCallback, useEffect, useRef, useState } from "react";
import type { Engine, GenerateOptions, InfillOptions } from "../engine/engine.ts";
import type { GenerationResult } from "../engine/generation.ts";
import type { LacunaError } from "../fault.ts";
import type { GrammarInput, ValueOf } from "../grammar/source.ts";

/** What is written by what: options of `generate`, or with a template of `infill`. */
export interface CompletionOptions<Grammar extends GrammarInput = GrammarInput>
  extends Omit<GenerateOptions<Grammar>, "prompt" | "signal" | "method" | "unconstrained"> {
  /** Made outside of components, so that its model is loaded once. */
  readonly engine: Engine;
  /** With one, `length` is left aside. */
  readonly template?: InfillOptions["template"];
  /** What stands for a masked cell in the text; `░` by default. */
  readonly mask?: string;
}

/** A text as far as it is written. */
export interface CompletionState<Value> {
  /** With a sign for each masked cell, as long as there are any. Changes once a step. */
  readonly text: string;
  /** What the text stands for, once it is whole. */
  readonly value?: Value;
  /** Why it could not be written. None if it was given up. */
  readonly error?: LacunaError;
  readonly isWriting: boolean;
}

/** A text, and what can be done about it. */
export interface Completion<Value> extends CompletionState<Value> {
  /** Writes a text for a prompt; what is under way is given up. Never rejects. */
  readonly complete: (prompt: string) => Promise<GenerationResult<Value> | undefined>;
  /** Gives up what is under way, as unmounting does. */
  readonly stop: () => void;
}

/** Has an engine write. */
export function useCompletion<const Grammar extends GrammarInput>(
  options: CompletionOptions<Grammar>,
): Completion<ValueOf<Grammar>> {
  type Value = ValueOf<Grammar>;
  const [state, setState] = useState<CompletionState<Value>>({ text: "", isWriting: false });
  const latest = useRef(options);
  const running = useRef<AbortController>(undefined);
  useEffect(() => {
    latest.current = options;
  });
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const complete = useCallback(
    async (prompt: string): Promise<GenerationResult<Value> | undefined> => {
      stop();
      const abort = new AbortController();
      running.current = abort;
      // Something newer may be on show by then.
      const show = (next: CompletionState<Value>) => running.current === abort && setState(next);
      const { engine, template, mask = "░", length, ...rest } = latest.current;
      const own = { prompt, signal: abort.signal, ...(template ? {} : { length }) };
      const call = { ...rest, ...own } as Omit<
        GenerateOptions<Grammar>,
        "method" | "unconstrained"
      >;
      let cells: (Uint8Array | undefined)[] = [];
      let text = "";
      show({ text, isWriting: true });
      try {
        const run = template ? engine.infill({ ...call, template }) : engine.generate(call);
        for await (const event of run) {
          if (event.type === "begin") {
            cells = Array(event.length).fill(undefined);
            for (const { cell, bytes } of event.fixed ?? []) cells[cell] = bytes;
          } else if (event.type === "commit") {
            cells[event.cell] = event.end ? new Uint8Array() : event.bytes;
          } else if (event.type === "remask") {
            cells[event.cell] = undefined;
          } else if (event.type === "figures") {
            text = textOf(cells, mask);
            show({ text, isWriting: true });
          }
        }
        const result = await run.result;
        show({ text: result.text, value: result.value, isWriting: false });
        return result;
      } catch (error) {
        const why = abort.signal.aborted ? {} : { error: error as LacunaError };
        show({ text, ...why, isWriting: false });
        return undefined;
      }
    },
    [stop],
  );
  return { ...state, complete, stop };
}

/** Cells as text. A character may reach from one cell into the next. */
function textOf(cells: readonly (Uint8Array | undefined)[], mask: string): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return cells
    .map((bytes) => (bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode() + mask))
    .concat(decoder.decode())
    .join("");
}
