/**
 * What may stand first in a gap: one check for each class of characters, or of tokens, that
 * the grammar does not tell apart.
 */

import type { Piece } from "../gaps.ts";
import type { Choices } from "../protocol.ts";
import { type Letters, letterClass } from "./another.ts";
import { type Bench, type EnginePiece, isUndecided } from "./bench.ts";
import { rangesOf } from "./ranges.ts";
import type { Slices, Turn } from "./slices.ts";
import { decode, decodeWhole } from "./utf8.ts";
import type { Vocabulary } from "./vocabularies.ts";

/** Where the gap of a number stands among the pieces; -1 if there is none. */
export function gapIndex(pieces: readonly Piece[], gap: number): number {
  let left = gap;
  return pieces.findIndex((piece) => typeof piece !== "string" && left-- === 0);
}

/**
 * The pieces with something put first into a gap. Of one with cells, a token takes one; of
 * text it is not known how many it takes, so the rest has any length then.
 */
export function putFirst(
  pieces: readonly Piece[],
  at: number,
  first: string | Uint8Array,
  isToken: boolean,
): EnginePiece[] {
  const gap = pieces[at];
  const rest: EnginePiece[] = [];
  if (gap === null || !isToken) rest.push(null);
  else if (typeof gap === "number" && gap > 1) rest.push(gap - 1);
  return [...pieces.slice(0, at), first, ...rest, ...pieces.slice(at + 1)];
}

/** Finds the choices of a gap; `report` is told now and then. */
export class ChoiceFinder {
  /** What text is made of. */
  readonly characters: Vocabulary;
  readonly #bench: Bench;
  #characterClasses: number[][] | undefined;
  #letters: Letters | undefined;
  #tokenClasses: number[][] | undefined;

  constructor(bench: Bench, characters: Vocabulary) {
    this.#bench = bench;
    this.characters = characters;
  }

  /** The classes of characters. */
  characterClasses(): number[][] {
    this.#characterClasses ??= this.#bench.classes(this.characters);
    return this.#characterClasses;
  }

  /** What other completions are made of. */
  letters(): Letters {
    this.#letters ??= this.#newLetters();
    return this.#letters;
  }

  #newLetters(): Letters {
    const spelled = ({ spellings }: Vocabulary, classes: number[][]) => {
      // Tokens that hold a part of a character cannot be shown where they stand.
      const isWhole = (it: Uint8Array | null | undefined): it is Uint8Array =>
        it !== null && it !== undefined && typeof decodeWhole(it) === "string";
      const whole = classes.map((members) => members.map((id) => spellings[id]).filter(isWhole));
      return whole.filter((members) => members.length > 0).map(letterClass);
    };
    const any = spelled(this.characters, this.characterClasses());
    const { vocabulary } = this.#bench;
    const hasTokens = vocabulary !== this.characters;
    return { any, cells: hasTokens ? spelled(vocabulary, this.tokenClasses()) : any };
  }

  /** The classes of tokens. */
  tokenClasses(): number[][] {
    this.#tokenClasses ??= this.#bench.classes(this.#bench.vocabulary);
    return this.#tokenClasses;
  }

  async find(
    pieces: readonly Piece[],
    gap: number,
    slices: Slices,
    turn: Turn,
    report: (choices: Choices) => void,
  ): Promise<void> {
    const at = gapIndex(pieces, gap);
    if (at < 0) return;
    const hasTokens = this.#bench.vocabulary !== this.characters;
    const hasCells = typeof pieces[at] === "number";
    // Text in a gap of tokens: nobody knows how many cells it takes.
    const asksCharacters = !(hasCells && hasTokens);
    const known = { characters: [] as number[], tokens: [] as number[], undecided: 0 };
    const empty = hasCells
      ? undefined
      : this.#fits(known, [...pieces.slice(0, at), ...pieces.slice(at + 1)]);
    const jobs: { of: "characters" | "tokens"; members: number[] }[] = [];
    if (asksCharacters) {
      for (const members of this.characterClasses()) jobs.push({ of: "characters", members });
    }
    if (hasTokens) {
      for (const members of this.tokenClasses()) jobs.push({ of: "tokens", members });
    }
    const say = (done: number) =>
      report({
        gap,
        empty,
        characters: asksCharacters ? this.#ranges(known.characters) : undefined,
        tokens: hasTokens ? [...known.tokens].sort((a, b) => a - b) : undefined,
        progress: jobs.length === 0 ? 1 : done / jobs.length,
        undecided: known.undecided,
      });
    let told = performance.now();
    for (const [done, { of, members }] of jobs.entries()) {
      await slices.next(turn);
      if (performance.now() - told > 250) {
        say(done);
        told = performance.now();
      }
      const { spellings } = of === "tokens" ? this.#bench.vocabulary : this.characters;
      const first = members[0] === undefined ? null : spellings[members[0]];
      if (!first || (hasCells && pieces[at] === 0)) continue;
      const isToken = of === "tokens" || hasCells;
      if (!this.#fits(known, putFirst(pieces, at, first, isToken))) continue;
      for (const member of members) known[of].push(member);
    }
    say(jobs.length);
  }

  #fits(known: { undecided: number }, pieces: readonly EnginePiece[]): boolean {
    try {
      return this.#bench.complete(pieces) !== null;
    } catch (thrown) {
      if (!isUndecided(thrown)) throw thrown;
      known.undecided++;
      return false;
    }
  }

  /** Of tokens that are characters, their numbers in Unicode. */
  #ranges(tokens: readonly number[]): [number, number][] {
    const code = (token: number) => {
      const spelling = this.characters.spellings[token];
      return spelling ? (decode(spelling).codePointAt(0) ?? 0) : 0;
    };
    return rangesOf(tokens.map(code));
  }
}
