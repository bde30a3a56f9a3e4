/** How a text is decoded: the choices of `docs/decoder.md`, by the same names. */

import { invalid } from "./fault.ts";
import { count, flag, isCount, isNumber, oneOf, quotedList, type Rule, rule } from "./options.ts";

const METHODS = ["lacuna", "epic", "mundler", "unconstrained"] as const;
const SCHEDULES = ["fixed", "linear", "cosine"] as const;
const KEY_CACHES = ["none", "prefix", "dual"] as const;
const ORDERS = ["confidence", "margin", "entropy", "random", "left-to-right"] as const;
const COMMITS = ["bisect", "whole", "relaxed", "sequential", "best"] as const;
const RECOVERIES = ["guided", "best", "witness", "finish"] as const;

/**
 * What decides: our exact checker; the published methods EPIC, and Mündler and others',
 * as references, with their budgets and their recovery; or nothing.
 */
export type Method = (typeof METHODS)[number];

/** Methods that are there for comparison: what they write need not be of the grammar. */
export type ComparedMethod = Exclude<Method, "lacuna">;

/**
 * How many cells each step commits: evenly many; by a global time; all whose probability is
 * at least a threshold; or as many as are confident enough for being so many.
 */
export type Schedule =
  | (typeof SCHEDULES)[number]
  | { readonly threshold: number }
  | { readonly factor: number };

/**
 * Keys and values that the model keeps while a block is filled: those before the block, or
 * those of all but the block.
 */
export type KeyCache = (typeof KEY_CACHES)[number];

/** Which cells come first. */
export type CellOrder = (typeof ORDERS)[number];

/** How a step's candidates are committed together. */
export type CommitMethod = (typeof COMMITS)[number];

/** What becomes of a step whose refusals have run out. */
export type Recovery = (typeof RECOVERIES)[number];

/** How a text is decoded; what is left out is as the method has it. */
export interface DecodingOptions {
  /** `lacuna` by default. With another there is no `value`: nothing is promised of the text. */
  readonly method?: Method;
  /** `fixed` by default. With a threshold or a factor, `steps` are the most that are taken. */
  readonly schedule?: Schedule;
  /** Cells of a block; blocks are filled one after another. One block by default. */
  readonly block?: number;
  /** `none` by default. Anything else makes steps shorter and their answers approximate. */
  readonly keyCache?: KeyCache;
  /** `confidence` by default. */
  readonly order?: CellOrder;
  /** 0, the default, always takes the likeliest. */
  readonly temperature?: number;
  /** Samples among so many of the most probable tokens. */
  readonly topK?: number;
  /** Samples among the most probable tokens whose probabilities sum to this. */
  readonly topP?: number;
  /** Samples among tokens with at least this share of the best one's probability. */
  readonly minP?: number;
  /** Above 1 makes tokens that stand in the text less probable. */
  readonly repetitionPenalty?: number;
  /** What is added to the logits of tokens. */
  readonly bias?: readonly (readonly [token: number, add: number])[];
  /** Tokens that are never written. */
  readonly ban?: readonly number[];
  /** Refusals in a step after which candidates come from exact masks. 8 by default. */
  readonly masksAfter?: number | "never";
  /** `bisect` by default. */
  readonly commit?: CommitMethod;
  /**
   * Tokens expected to be wrong, at most, of those that are looked at before they are committed,
   * which saves later checks and changes no commit; 0 looks at none. 1 by default.
   */
  readonly foresight?: number;
  /** `guided` by default. */
  readonly recovery?: Recovery;
  /** Refusals in a step after which it is recovered. 2000 by default. */
  readonly refusals?: number;
  /** Refusals in the run after which every step is recovered at once. */
  readonly refusalsInAll?: number;
  /** Masks again, each cell once, what was committed with less probability than this. */
  readonly remask?: number;
  /** `false` goes on when the text is complete, until every cell is filled. */
  readonly earlyStop?: boolean;
  /** Tokens of a cell that `commit: "best"` tells apart. 64 by default. */
  readonly width?: number;
}

const isShare = (value: unknown) => isNumber(value) && value > 0 && value <= 1;
const share = rule(isShare, "above 0 and at most 1");
const fromZero = rule((value) => isNumber(value) && value >= 0, "a number from 0 up");
const isToken = (value: unknown) => isCount(value);

/** What each choice must be. */
export const DECODING: Readonly<Record<keyof DecodingOptions, Rule>> = {
  method: oneOf(METHODS),
  schedule: rule(
    isSchedule,
    `${quotedList(SCHEDULES)}, { threshold } above 0 and at most 1, or { factor } above 0`,
  ),
  block: count(1),
  keyCache: oneOf(KEY_CACHES),
  order: oneOf(ORDERS),
  temperature: fromZero,
  topK: count(1),
  topP: share,
  minP: share,
  repetitionPenalty: rule(
    (value) => isNumber(value) && value >= 1e-6 && value <= 1e6,
    "a number between 1e-6 and 1e6",
  ),
  bias: rule(
    (value) => Array.isArray(value) && value.every(isBias),
    "a list of pairs, a token's id and a number",
  ),
  ban: rule((value) => Array.isArray(value) && value.every(isToken), "a list of ids of tokens"),
  masksAfter: rule(
    (value) => value === "never" || isCount(value),
    'a number of refusals or "never"',
  ),
  commit: oneOf(COMMITS),
  foresight: fromZero,
  recovery: oneOf(RECOVERIES),
  refusals: count(0),
  refusalsInAll: count(0),
  remask: share,
  earlyStop: flag,
  width: count(1),
};

const isBias = (pair: unknown): boolean =>
  Array.isArray(pair) && pair.length === 2 && isToken(pair[0]) && isNumber(pair[1]);

function isSchedule(value: unknown): boolean {
  if (typeof value === "string") return (SCHEDULES as readonly string[]).includes(value);
  const entries = Object.entries(value ?? {});
  const [entry] = entries;
  if (!entry || entries.length > 1) return false;
  const [name, bound] = entry;
  if (name === "threshold") return isShare(bound);
  return name === "factor" && isNumber(bound) && bound > 0;
}

/**
 * The choices among the options of a call, without what is left out.
 *
 * Throws a fault that names the first option which makes no sense, before anything is
 * loaded.
 */
export function readDecoding(
  options: DecodingOptions & { readonly unconstrained?: boolean },
): DecodingOptions {
  const read: Record<string, unknown> = {};
  for (const [name, expect] of Object.entries(DECODING)) {
    const value = options[name as keyof DecodingOptions];
    if (value === undefined) continue;
    expect(name, value);
    read[name] = value;
  }
  if (options.unconstrained) {
    if (options.method !== undefined && options.method !== "unconstrained")
      throw invalid(`unconstrained contradicts the method ${options.method}`);
    read.method = "unconstrained";
  }
  return read;
}
