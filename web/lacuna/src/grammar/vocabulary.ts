/** Vocabularies: the bytes of every token, read out of a `tokenizer.json`. */

import { reading } from "../fault.ts";
import { bindings, entering, loadGrammarEngine } from "./load.ts";
import { tokensOfTokenizer } from "./tokenizer.ts";

/** The tokens that cells are filled with. */
export interface VocabularyInput {
  /** Each token's text or bytes, by id; `null` for one that emits nothing. */
  readonly tokens: readonly (string | Uint8Array | null)[];
  /** The ids that end a text. */
  readonly ends: readonly number[];
  /** The mask's id; without one, it is an id of its own behind the others. */
  readonly mask?: number | undefined;
}

type Table = InstanceType<typeof bindings.TokenTable>;

/** A vocabulary that grammars can be compiled for. */
export class Vocabulary {
  readonly #table: Table;
  readonly #tokens: readonly (Uint8Array | null)[];

  private constructor(table: Table, tokens: readonly (Uint8Array | null)[]) {
    this.#table = table;
    this.#tokens = tokens;
  }

  /** A vocabulary of these tokens. */
  static async of(input: VocabularyInput): Promise<Vocabulary> {
    await loadGrammarEngine();
    return reading("The vocabulary", () => {
      const { tokens, ends, mask } = input;
      const encoder = new TextEncoder();
      const spelled = tokens.map((token) =>
        typeof token === "string" ? encoder.encode(token) : token,
      );
      if (mask === undefined) spelled.push(null);
      const lengths = Uint32Array.from(spelled, (token) => token?.length ?? 0);
      const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
      let at = 0;
      for (const token of spelled) {
        bytes.set(token ?? [], at);
        at += token?.length ?? 0;
      }
      const table = entering(
        () => new bindings.TokenTable(bytes, lengths, ends, mask ?? spelled.length - 1),
      );
      return new Vocabulary(table, spelled);
    });
  }

  /**
   * The vocabulary of a `tokenizer.json` of Hugging Face's, byte-level or
   * SentencePiece-like; `config` is the model's `config.json`, which names the ends and
   * the mask.
   */
  static async fromTokenizer(
    tokenizer: string | object,
    config: {
      readonly eos_token_id: number | readonly number[];
      readonly mask_token_id?: number;
    },
  ): Promise<Vocabulary> {
    const input = reading("The tokenizer", (): VocabularyInput => {
      const json = (typeof tokenizer === "string" ? JSON.parse(tokenizer) : tokenizer) as object;
      const { eos_token_id, mask_token_id: mask } = config;
      return { tokens: tokensOfTokenizer(json), ends: [eos_token_id].flat(), mask };
    });
    return Vocabulary.of(input);
  }

  /** Number of tokens. */
  get size(): number {
    return this.#tokens.length;
  }

  /** The bytes of a token; `null` if it emits nothing. */
  bytes(token: number): Uint8Array | null {
    return this.#tokens[token] ?? null;
  }

  /** A hold on the table for a grammar, which takes it over. */
  share(): Table {
    return entering(() => this.#table.share());
  }
}
