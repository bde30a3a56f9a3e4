/**
 * The slots of a grammar: names of texts and lists that are handed over beside it. Which there
 * are is read off its text; whether that is right the engine says.
 */

import type { GrammarKind } from "lacuna-lm/grammar";
import { textsOf } from "../src/page/texts.ts";

/** What values are taken from: lines, each of which is one, or runs of a text's words. */
export type Source = "list" | "text";

export interface Slot {
  readonly name: string;
  readonly filling: Source | "any";
}

/** What is handed over for a slot, as it is written. */
export interface Filled {
  readonly name: string;
  readonly as: Source;
  readonly written: string;
}

/** What the engine takes. */
export interface HandedOver {
  readonly texts: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** Keywords whose values are data, in which nothing is a keyword. */
const DATA = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose values are schemas by names that the user chose. */
const NAMED = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

const KEYWORDS: ReadonlyMap<string, Source> = new Map([
  ["x-oneOf", "list"],
  ["x-spanOf", "text"],
]);

/** The slots of a grammar, each once; `undefined` where its text cannot be read. */
export function slotsOf(kind: GrammarKind, grammar: string): readonly Slot[] | undefined {
  const found = new Map<string, Slot>();
  const add = (name: string, filling: Slot["filling"]) =>
    found.set(`${filling} ${name}`, { name, filling });
  if (kind === "lark") {
    for (const [, name] of grammar.matchAll(/^[ \t]*%slot[ \t]+(_?[A-Z][A-Z0-9_]*)/gm))
      if (name) add(name, "any");
  }
  if (kind === "jsonSchema") {
    const visit = (thing: unknown): void => {
      if (typeof thing !== "object" || thing === null) return;
      for (const [keyword, value] of Object.entries(thing)) {
        const filling = KEYWORDS.get(keyword);
        if (filling && typeof value === "string") add(value, filling);
        else if (NAMED.has(keyword)) Object.values(value ?? {}).forEach(visit);
        else if (!DATA.has(keyword)) visit(value);
      }
    };
    try {
      visit(JSON.parse(grammar));
    } catch {
      return undefined;
    }
  }
  return [...found.values()];
}

/** Whether a slot is the request's, which has a field of its own. */
export const isRequest = ({ name, filling }: Slot): boolean =>
  filling !== "list" && Object.hasOwn(textsOf(""), name);

/** What is written for a slot, if anything is. */
export const filledOf = (slot: Slot, filled: readonly Filled[]): Filled | undefined =>
  filled.find(({ name, as }) => name === slot.name && [as, "any"].includes(slot.filling));

/** What is handed over for these slots. */
export function handedOver(
  slots: readonly Slot[],
  filled: readonly Filled[],
  request: string,
): HandedOver {
  const own = slots.filter((slot) => !isRequest(slot)).map((slot) => filledOf(slot, filled));
  const written = own.filter((it) => it !== undefined && it.written !== "") as Filled[];
  const of = (source: Source) => written.filter(({ as }) => as === source);
  const texts = of("text").map(({ name, written }) => [name, written]);
  const lists = of("list").map(({ name, written }) => [name, linesOf(written)]);
  return {
    texts: { ...textsOf(request), ...Object.fromEntries(texts) },
    lists: Object.fromEntries(lists),
  };
}

/** Empty lines are no values. */
const linesOf = (written: string): string[] => written.split(/\r?\n/).filter((line) => line !== "");
