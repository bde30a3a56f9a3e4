/** Vocabularies: the bytes of every token, read out of a `tokenizer.json`. */

import { LacunaError } from "../fault.ts";
import { bindings, entering, loadGrammarEngine } from "./load.ts";

/** The tokens that cells are filled with. */
export interface VocabularyInput {
  /** Each token's text or bytes, by id; `null` for one that emits nothing. */
  readonly tokens: readonly (string | Uint8Array | null)[];
  /** The ids that end a text. */
  readonly ends: readonly number[];
  /** The mask's id; without one, it is an id of its own behind the others. */
  readonly mask?: number;
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
  static async of({ tokens, ends, mask }: VocabularyInput): Promise<Vocabulary> {
    await loadGrammarEngine();
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
      () =>
        new bindings.TokenTable(bytes, lengths, Uint32Array.from(ends), mask ?? spelled.length - 1),
    );
    return new Vocabulary(table, spelled);
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
    const json = (typeof tokenizer === "string" ? JSON.parse(tokenizer) : tokenizer) as Tokenizer;
    const ends = [config.eos_token_id].flat();
    const mask = config.mask_token_id;
    const tokens = tokensOf(json);
    return Vocabulary.of({ tokens, ends, ...(mask === undefined ? {} : { mask }) });
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

/** The parts of a `tokenizer.json` that spell tokens. */
interface Tokenizer {
  readonly model?: { readonly vocab?: Readonly<Record<string, number>> | readonly Piece[] };
  readonly added_tokens?: readonly { id: number; content: string; special: boolean }[];
  readonly decoder?: Step | null;
  readonly pre_tokenizer?: Step | null;
}

type Piece = readonly [string, number];

interface Step {
  readonly type: string;
  readonly decoders?: readonly Step[];
  readonly pretokenizers?: readonly Step[];
}

function tokensOf(tokenizer: Tokenizer): (Uint8Array | null)[] {
  const { model, added_tokens = [] } = tokenizer;
  const vocab = model?.vocab;
  if (!vocab) throw unreadable("it has no vocabulary");
  const spell = spellingOf(tokenizer);
  const tokens: (Uint8Array | null)[] = [];
  const entries = isPieces(vocab)
    ? vocab.map(([token], id): Piece => [token, id])
    : Object.entries(vocab);
  for (const [token, id] of entries) tokens[id] = spell(token);
  for (const { id, content, special } of added_tokens) {
    tokens[id] = special ? null : new TextEncoder().encode(content);
  }
  return Array.from(tokens, (token) => token ?? null);
}

const isPieces = (vocab: object): vocab is readonly Piece[] => Array.isArray(vocab);

type Spelling = (token: string) => Uint8Array;

/** How tokens spell bytes, as the tokenizer's decoder tells, or what cuts its texts. */
function spellingOf({ decoder, pre_tokenizer }: Tokenizer): Spelling {
  for (const step of [...stepsOf(decoder), ...stepsOf(pre_tokenizer)]) {
    if (step === "ByteLevel") return byteLevel();
    if (step === "Metaspace" || step === "ByteFallback") return sentencePiece;
  }
  throw unreadable("neither byte-level nor sentencepiece-like, so tokens have no bytes");
}

function stepsOf(step: Step | null | undefined): string[] {
  if (!step) return [];
  return [step.type, ...[...(step.decoders ?? []), ...(step.pretokenizers ?? [])].flatMap(stepsOf)];
}

/** GPT-2's alphabet: a character for each byte. */
function byteLevel(): Spelling {
  const bytes = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 0x100; byte++) {
    const readable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    bytes.set(String.fromCodePoint(readable ? byte : next++), byte);
  }
  return (token) =>
    Uint8Array.from(token, (character) => {
      const byte = bytes.get(character);
      if (byte !== undefined) return byte;
      throw unreadable(`token ${JSON.stringify(token)} is not spelled in the byte-level alphabet`);
    });
}

const sentencePiece: Spelling = (token) => {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(token)?.[1];
  if (byte) return Uint8Array.of(Number.parseInt(byte, 16));
  return new TextEncoder().encode(token.replaceAll("▁", " "));
};

const unreadable = (why: string) =>
  new LacunaError({ kind: "tokenizer", message: `tokenizer.json: ${why}` });
