/** What the tokens of a `tokenizer.json` spell. */

import { LacunaError } from "../fault.ts";

/** Each token's bytes, by id; `null` for one that emits nothing. */
export type TokenSpellings = readonly (Uint8Array | null)[];

/** The bytes of every token of a `tokenizer.json`, by id; `null` for those that emit nothing. */
export function tokensOfTokenizer(json: object): TokenSpellings {
  const tokenizer = json as Tokenizer;
  const { model, added_tokens = [] } = tokenizer;
  const vocab = model?.vocab;
  if (!vocab) throw unreadable("it has no vocabulary");
  const spell = spellingOf(tokenizer);
  refuseAffixes(model);
  const entries = isPieces(vocab)
    ? vocab.map(([token], id): Piece => [token, id])
    : Object.entries(vocab);
  // Ids may have holes, but not many.
  const most = 2 * (entries.length + added_tokens.length);
  const names = new Map<number, string>();
  const tokens: (Uint8Array | null)[] = [];
  const put = (id: number, name: string, bytes: Uint8Array | null) => {
    if (!(Number.isInteger(id) && id >= 0 && id <= most))
      throw unreadable(`token ${JSON.stringify(name)} has id ${id}, of ${most / 2} tokens`);
    const other = names.get(id) ?? name;
    if (other !== name)
      throw unreadable(`the tokens ${JSON.stringify([other, name])} have the same id, ${id}`);
    names.set(id, name);
    tokens[id] = bytes;
  };
  for (const [token, id] of entries) put(id, token, spell(token));
  for (const { id, content, special } of added_tokens) {
    put(id, content, special ? null : new TextEncoder().encode(content));
  }
  return Array.from(tokens, (token) => token ?? null);
}

/** The parts of a `tokenizer.json` that spell tokens. */
interface Tokenizer {
  readonly model?: Model;
  readonly added_tokens?: readonly { id: number; content: string; special: boolean }[];
  readonly decoder?: Step | null;
  readonly pre_tokenizer?: Step | null;
}

interface Model {
  readonly vocab?: Readonly<Record<string, number>> | readonly Piece[];
  readonly continuing_subword_prefix?: string | null;
  readonly end_of_word_suffix?: string | null;
}

type Piece = readonly [string, number];

interface Step {
  readonly type: string;
  /** What a `Metaspace` writes for a blank. */
  readonly replacement?: string;
  /** What a `Replace` replaces, and by what. */
  readonly pattern?: { readonly String?: string };
  readonly content?: string;
  readonly decoders?: readonly Step[];
  readonly pretokenizers?: readonly Step[];
}

const isPieces = (vocab: object): vocab is readonly Piece[] => Array.isArray(vocab);

type Spelling = (token: string) => Uint8Array;

/** The blank of sentencepiece-like vocabularies. */
const BLANK = "▁";

/** How tokens spell bytes, as the tokenizer's decoder tells, or what cuts its texts. */
function spellingOf({ decoder, pre_tokenizer }: Tokenizer): Spelling {
  const decoding = stepsOf(decoder);
  const steps = [...decoding, ...stepsOf(pre_tokenizer)];
  const isOther = (step: Step) => (step.replacement ?? BLANK) !== BLANK;
  const spellsOther = ({ type, pattern, content }: Step) =>
    type === "Replace" && !(pattern?.String === BLANK && content === " ");
  if (steps.some(isOther) || decoding.some(spellsOther))
    throw unreadable(`blanks that are not spelled ${BLANK} are not supported`);
  for (const { type } of steps) {
    if (type === "ByteLevel") return byteLevel();
    if (type === "Metaspace" || type === "ByteFallback") return sentencePiece;
  }
  throw unreadable("neither byte-level nor sentencepiece-like, so tokens have no bytes");
}

function stepsOf(step: Step | null | undefined): Step[] {
  if (!step) return [];
  return [step, ...[...(step.decoders ?? []), ...(step.pretokenizers ?? [])].flatMap(stepsOf)];
}

function refuseAffixes({ continuing_subword_prefix, end_of_word_suffix }: Model): void {
  const affix = continuing_subword_prefix || end_of_word_suffix;
  if (affix) throw unreadable(`tokens marked with ${JSON.stringify(affix)} are not supported`);
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
  const byte = /^<0x([0-9a-f]{2})>$/i.exec(token)?.[1];
  if (byte) return Uint8Array.of(Number.parseInt(byte, 16));
  return new TextEncoder().encode(token.replaceAll(BLANK, " "));
};

const unreadable = (why: string) =>
  new LacunaError({ kind: "tokenizer", message: `tokenizer.json: ${why}` });
