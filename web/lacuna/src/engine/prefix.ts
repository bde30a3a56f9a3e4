/**
 * The beginning of a text while it is written out of order: what streams that can only
 * append are told of it.
 */

import type { DecodingOptions } from "../decoding.ts";
import type { EngineEvent } from "../events.ts";
import { FAULT, LacunaError } from "../fault.ts";

/** A cell behind which nothing is of the text. */
const END = "end";

/**
 * The cells from the first on that are filled, up to the first end, as text. Where committed
 * cells may be masked again, nothing is sure before the text is done.
 */
export class CommittedPrefix {
  readonly #cells = new Map<number, Uint8Array | typeof END>();
  // A token may hold a part of a character: that waits for the rest.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #isSure: boolean;
  #next = 0;
  #told = "";

  /** Of a text that is decoded with these options. */
  constructor({ remask }: Pick<DecodingOptions, "remask"> = {}) {
    this.#isSure = remask === undefined;
  }

  /** What an event adds to the beginning of the text. */
  add(event: EngineEvent): string {
    if (event.type === "done") return this.#rest(event.text);
    if (event.type === "begin") {
      for (const { cell, token, bytes } of event.fixed ?? [])
        this.#cells.set(cell, event.ends.includes(token) ? END : bytes);
    } else if (event.type === "commit") {
      this.#cells.set(event.cell, event.end ? END : event.bytes);
    } else {
      return "";
    }
    if (!this.#isSure) return "";
    let added = "";
    for (;;) {
      const cell = this.#cells.get(this.#next);
      if (cell === undefined || cell === END) break;
      added += this.#decoder.decode(cell, { stream: true });
      this.#next += 1;
    }
    this.#told += added;
    return added;
  }

  /** What is still to be told of a text that is done. */
  #rest(text: string): string {
    if (text.startsWith(this.#told)) return text.slice(this.#told.length);
    const message = "What was told of the text is not its beginning.";
    throw new LacunaError({ kind: FAULT.internal, message });
  }
}
