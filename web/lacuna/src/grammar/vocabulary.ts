/** Vocabularies: the bytes of every token, read out of a `tokenizer.json`. */

import { invalid, type LacunaError, reading } from "../fault.ts";
import { bindings, entering, loadGrammarEngine } from "./load.ts";
import { tokensOfTokenizer } from "./tokenizer.ts";

/** The tokens that cells are filled with. */
export interface VocabularyInput {
  /** Each token's text or bytes, by id; `null` for one that emits nothing. */
  readonly tokens: readonly (string | Uint8Array | null)[];
  /** The ids that end a text. */
  readonly ends: readonly number[];
  /** The mask's id; without one, it is an id of its own behind the others. */
  readonly mask?: number;
}

/** What a `config.json` says of tokens. */
export interface TokenIds {
  readonly eos_token_id: number | readonly number[];
  readonly mask_token_id?: number;
}

const parsed = (json: string | object): unknown =>
  typeof json === "string" ? JSON.parse(json) : json;

const unreadable = (why: string): LacunaError =>
  invalid(`The vocabulary could not be read: ${why}`);

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
    const { tokens, ends, mask } = input ?? {};
    if (!Array.isArray(tokens) || !Array.isArray(ends))
      throw unreadable("it is { tokens, ends }, two lists");
    const outside = mask === undefined ? ends.find((id) => id >= tokens.length) : undefined;
    if (outside !== undefined)
      throw unreadable(`ends has ${outside}, and there are ${tokens.length} tokens`);
    return reading("The vocabulary", () => {
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
   * the mask. Each is a text, or what that says.
   */
  static async fromTokenizer(
    tokenizer: string | object,
    config: string | TokenIds,
  ): Promise<Vocabulary> {
    const ids = reading("The model's config.json", () =>
      parsed(config),
    ) as Partial<TokenIds> | null;
    const ends = ids?.eos_token_id;
    if (ends === undefined)
      throw unreadable("config, the model's config.json, is to name an eos_token_id");
    const input = reading("The tokenizer", (): VocabularyInput => {
      const json = parsed(tokenizer) as object;
      const mask = ids?.mask_token_id;
      return {
        tokens: tokensOfTokenizer(json),
        ends: [ends].flat(),
        ...(mask === undefined ? {} : { mask }),
      };
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
