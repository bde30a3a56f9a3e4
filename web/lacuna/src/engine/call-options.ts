/** What each call of an engine takes, and what it refuses. */

import { resolveUrl } from "../base-url.ts";
import { DECODING } from "../decoding.ts";
import { invalid } from "../fault.ts";
import type { GrammarOptions } from "../grammar/source.ts";
import {
  anything,
  callback,
  count,
  expectOptions,
  fields,
  flag,
  isCount,
  lists,
  oneOf,
  type Rule,
  type Rules,
  rule,
  shown,
  signal,
  text,
  texts,
} from "../options.ts";

const device = oneOf(["auto", "cpu", "gpu"]);
const address = rule((value) => {
  try {
    return (typeof value === "string" || value instanceof URL) && !!resolveUrl(value);
  } catch {
    return false;
  }
}, "an address, as a text or a URL");

/** Of `createEngine`. */
export const ENGINE: Rules = {
  model: rule(
    (value) => (typeof value === "object" ? value !== null : typeof value === "string" && !!value),
    "the address of a model's folder, or { config, tokenizer, weights }",
  ),
  device,
  onProgress: callback,
  workerUrl: address,
  worker: callback,
  wasmUrl: address,
  threads: flag,
};

/** Of `load`. */
export const LOAD: Rules = { device, onProgress: callback, signal };

/** Of `availability`. */
export const ASK: Rules = { signal };

/** The deepest indentation. */
const MOST_BLANKS = 16;

/** What is handed over with a grammar. */
export const BESIDE = {
  texts,
  lists,
  maxDepth: count(0),
  matching: text,
  schema: fields({
    order: oneOf(["declared", "any"]),
    whiteSpace: oneOf(["compact", "any"]),
    indent: count(0, MOST_BLANKS),
    effort: count(0),
    documents: texts,
  }),
} satisfies Readonly<Record<keyof Omit<GrammarOptions, "writing">, Rule>>;

/** Of `validate`. */
export const VALIDATE: Rules = { ...BESIDE, signal };

/** Of `generate`. */
const GENERATE: Rules = {
  prompt: text,
  task: text,
  grammar: anything,
  length: count(1),
  steps: count(1),
  seed: count(0, Number.MAX_SAFE_INTEGER),
  ...BESIDE,
  ...DECODING,
  unconstrained: flag,
  turns: text,
  signal,
};

const INFILL: Rules = {
  ...GENERATE,
  template,
  length(_, value) {
    throw invalid(`length is ${shown(value)}, but of infill the template says how many cells`);
  },
};

/** Throws a fault that names the first thing in a call of `generate` which makes no sense. */
export const expectGenerate = (options: unknown): void =>
  expectOptions("generate", options, GENERATE, ["prompt"]);

/** The same of `infill`. */
export const expectInfill = (options: unknown): void =>
  expectOptions("infill", options, INFILL, ["prompt", "template"]);

function template(name: string, value: unknown): void {
  isPieces(name, value);
  for (const [at, piece] of (value as readonly unknown[]).entries()) {
    if (!Array.isArray(piece)) continue;
    const [least, most] = piece as [number, number];
    if (least <= most) continue;
    const words = "the least number of cells of a gap must not be above the most";
    throw invalid(`${name}[${at}] is ${shown(piece)}: ${words}`);
  }
}

const isPieces = rule(
  (value) => Array.isArray(value) && value.every(isPiece),
  "a list of texts and gaps, a gap being a number of cells or the least and the most of them",
);

function isPiece(piece: unknown): boolean {
  if (Array.isArray(piece)) return piece.length === 2 && piece.every((cells) => isCount(cells));
  return typeof piece === "string" || isCount(piece);
}
