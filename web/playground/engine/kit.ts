/** What the worker keeps between key presses: vocabularies, and the newest grammar. */

import type { Fault } from "../../lacuna/src/fault.ts";
import type { Piece } from "../gaps.ts";
import type { Assets, GrammarState, Info } from "../protocol.ts";
import { Bench, faultOf } from "./bench.ts";
import { ChoiceFinder } from "./choices.ts";
import { tokensNamed } from "./tokens-named.ts";
import { beyondFirstPlane, characters, tokensOf, type Vocabulary } from "./vocabularies.ts";

/** A grammar that can be asked. */
export interface Opened {
  readonly bench: Bench;
  readonly choices: ChoiceFinder;
  readonly info: Info;
  /** How long that took. */
  readonly millis: number;
}

/** What a kit tells of. */
export interface Events {
  /** A download began, or is over. */
  loading(isLoading: boolean): void;
  /** Tokens are there. */
  tokens(vocabulary: Vocabulary): void;
}

export class Kit {
  readonly #assets: Assets;
  readonly #events: Events;
  #characters: { readonly besides: string; readonly vocabulary: Vocabulary } | undefined;
  #tokens: Promise<Vocabulary> | undefined;
  #newest:
    | { readonly key: string; readonly opened: Opened | { readonly fault: Fault } }
    | undefined;

  constructor(assets: Assets, events: Events) {
    this.#assets = assets;
    this.#events = events;
  }

  /** The grammar compiled, at once if it is the one of last time. */
  async open(
    grammar: GrammarState,
    pieces: readonly Piece[],
  ): Promise<Opened | { readonly fault: Fault }> {
    const { text, texts, lists } = grammar;
    const written = pieces.filter((piece) => typeof piece === "string");
    const values = [Object.values(texts), Object.values(lists)].flat(2);
    const all = this.#charactersFor([text, ...values, ...written].join(""));
    let vocabulary = all.vocabulary;
    if (grammar.cells === "tokens") {
      try {
        vocabulary = await this.#loadTokens();
      } catch (error) {
        this.#tokens = undefined;
        // A browser does not say more of a server that cannot be reached.
        const why = error instanceof TypeError ? "" : `: ${(error as Error).message}`;
        return { fault: { kind: "network", message: `The tokens could not be fetched${why}` } };
      }
    }
    const named = grammar.cells === "characters" ? tokensNamed(grammar) : [];
    if (named.length > 0) {
      const message = "This grammar names tokens: choose Tokens.";
      return { fault: { kind: "grammar", message, diagnostics: named } };
    }
    const key = JSON.stringify([grammar, all.besides]);
    if (this.#newest?.key === key) return this.#newest.opened;
    if (this.#newest && "bench" in this.#newest.opened) this.#newest.opened.bench.dispose();
    this.#newest = undefined;
    const opened = compiled(grammar, vocabulary, all.vocabulary);
    this.#newest = { key, opened };
    return opened;
  }

  /** The grammar of the last look, if it can be asked. */
  get current(): Opened | { readonly fault: Fault } {
    const none = { kind: "invalid-input", message: "There is no grammar to ask." };
    return this.#newest?.opened ?? { fault: none };
  }

  #charactersFor(text: string) {
    const besides = beyondFirstPlane(text);
    if (this.#characters?.besides !== besides) {
      this.#characters = { besides, vocabulary: characters(besides) };
    }
    return this.#characters;
  }

  #loadTokens(): Promise<Vocabulary> {
    this.#tokens ??= this.#fetchTokens();
    return this.#tokens;
  }

  async #fetchTokens(): Promise<Vocabulary> {
    this.#events.loading(true);
    try {
      const vocabulary = await tokensOf(this.#assets.model);
      this.#events.tokens(vocabulary);
      return vocabulary;
    } finally {
      this.#events.loading(false);
    }
  }
}

function compiled(
  grammar: GrammarState,
  vocabulary: Vocabulary,
  all: Vocabulary,
): Opened | { readonly fault: Fault } {
  const begun = performance.now();
  try {
    const bench = new Bench(grammar, vocabulary);
    const millis = performance.now() - begun;
    return { bench, choices: new ChoiceFinder(bench, all), info: bench.info(), millis };
  } catch (thrown) {
    return { fault: faultOf(thrown) };
  }
}
