/**
 * What cells hold: characters, or the tokens of a model's tokenizer.
 *
 * As characters count those of Unicode's first plane, and others that stand in the grammar
 * or in the text.
 */

import { type TokenSpellings, tokensOfTokenizer } from "../../lacuna/src/grammar/tokenizer.ts";
import { TokenTable } from "../pkg/lacuna_wasm.js";

/** A vocabulary, and what its tokens spell. */
export interface Vocabulary {
  readonly table: TokenTable;
  readonly spellings: TokenSpellings;
}

/** What is read most easily comes first: completions are made of what comes first. */
const ORDER: readonly (readonly [first: number, last: number])[] = [
  [0x61, 0x7a],
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x20, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0x7e],
  [0xa1, 0xd7ff],
  [0xe000, 0xffff],
  [0x00, 0x1f],
  [0x7f, 0xa0],
];

/** The characters of the first plane, and these besides. */
export function characters(besides: string): Vocabulary {
  const spellings: (Uint8Array | null)[] = [];
  const encoder = new TextEncoder();
  for (const [first, last] of ORDER) {
    for (let code = first; code <= last; code++) {
      spellings.push(encoder.encode(String.fromCharCode(code)));
    }
  }
  for (const it of beyondFirstPlane(besides)) spellings.push(encoder.encode(it));
  return vocabulary(spellings, [], undefined);
}

/** Characters beyond the first plane, in order: what tells two such vocabularies apart. */
export function beyondFirstPlane(text: string): string {
  const found = new Set(Array.from(text).filter((it) => (it.codePointAt(0) ?? 0) >= 0x10000));
  return [...found].sort().join("");
}

/** The tokens of a model in a folder. */
export async function tokensOf(folder: string): Promise<Vocabulary> {
  const [tokenizer, config] = await Promise.all(
    ["tokenizer.json", "config.json"].map(async (name) => {
      const response = await fetch(new URL(name, folder));
      if (!response.ok) throw new Error(`the server answered ${response.status} to ${name}`);
      return (await response.json()) as Record<string, unknown>;
    }),
  );
  const { eos_token_id: ends, mask_token_id: mask } = config as {
    eos_token_id: number | number[];
    mask_token_id?: number;
  };
  return vocabulary([...tokensOfTokenizer(tokenizer as object)], [ends].flat(), mask);
}

function vocabulary(
  spellings: (Uint8Array | null)[],
  ends: readonly number[],
  mask: number | undefined,
): Vocabulary {
  const all = [...spellings];
  // An end and a mask there must be, even where nothing ends with a token.
  const end = ends.length > 0 ? ends : [all.push(null) - 1];
  const masked = mask ?? all.push(null) - 1;
  const lengths = Uint32Array.from(all, (it) => it?.length ?? 0);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const it of all) {
    bytes.set(it ?? [], at);
    at += it?.length ?? 0;
  }
  return { table: new TokenTable(bytes, lengths, [...end], masked), spellings: all };
}
