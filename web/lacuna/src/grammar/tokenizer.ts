/** What the tokens of a `tokenizer.json` spell. */

import { LacunaError } from "../fault.ts";

/** Each token's bytes, by id; `null` for one that emits nothing. */
export type TokenSpellings = readonly (Uint8Array | null)[];

/** The bytes of every token of a `tokenizer.json`, by id; `null` for those that emit nothing. */
export function tokensOfTokenizer(json: object): TokenSpellings {
  const tokenizer = json as Tokenizer;
  const { model, added_tokens = [] } = tokenizer;
  const vocab = model?.vocab;
  if (!vocab) throw unreadable("no vocab");
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

const isPieces = (vocab: object): vocab is readonly Piece[] => Array.isArray(vocab);

type Spelling = (token: string) => Uint8Array;

/** How tokens spell bytes, as the tokenizer's decoder tells, or what cuts its texts. */
function spellingOf({ decoder, pre_tokenizer }: Tokenizer): Spelling {
  for (const step of [...stepsOf(decoder), ...stepsOf(pre_tokenizer)]) {
    if (step === "ByteLevel") return byteLevel();
    if (step === "Metaspace" || step === "ByteFallback") return sentencePiece;
  }
  throw unreadable("not byte-level, nor sentencepiece-like");
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
      throw unreadable(`${token} is not byte-level`);
    });
}

const sentencePiece: Spelling = (token) => {
  const byte = /^<0x([0-9a-f]{2})>$/i.exec(token)?.[1];
  if (byte) return Uint8Array.of(Number.parseInt(byte, 16));
  return new TextEncoder().encode(token.replaceAll("▁", " "));
};

const unreadable = (why: string) =>
  new LacunaError({ kind: "tokenizer", message: `tokenizer.json: ${why}` });
