/** A link that carries everything, in its fragment. */

import { holds, packed, unpacked } from "../src/fragment.ts";
import type { Filled } from "./slots.ts";
import { KINDS, type State, type Test } from "./state.ts";

const KEY = "p=";

/** The most that a fragment may unpack to. */
const MOST_BYTES = 2_000_000;

/** A fragment that holds the state, `#` included; `undefined` where that is too much for one. */
export const toFragment = (state: State): Promise<string | undefined> =>
  packed(KEY, state, MOST_BYTES);

/** Whether a fragment was made to hold a state; parts of it may be lost. */
export const isLink = (fragment: string): boolean => holds(KEY, fragment);

/** What a fragment holds; `undefined` if that is no state. */
export async function fromFragment(fragment: string): Promise<State | undefined> {
  return stateOf(await unpacked(KEY, fragment, MOST_BYTES));
}

/** A thing from outside, if it is a state. */
export function stateOf(thing: unknown): State | undefined {
  if (typeof thing !== "object" || thing === null) return undefined;
  const { kind, grammar, text, request, slots, cells, tests } = thing as Partial<
    Record<string, unknown>
  >;
  const known = KINDS.find((it) => it === kind);
  if (!known || typeof grammar !== "string" || typeof text !== "string") return undefined;
  return {
    kind: known,
    grammar,
    text,
    request: typeof request === "string" ? request : "",
    slots: Array.isArray(slots) ? slots.filter(isFilled) : [],
    cells: cells === "tokens" ? "tokens" : "characters",
    tests: Array.isArray(tests) ? tests.filter(isTest) : [],
  };
}

const isFilled = (thing: unknown): thing is Filled => {
  const { name, as, written } = (thing ?? {}) as Partial<Filled>;
  const isSource = as === "list" || as === "text";
  return isSource && typeof name === "string" && typeof written === "string";
};

const isTest = (thing: unknown): thing is Test => {
  const { text, belongs } = (thing ?? {}) as Partial<Test>;
  return typeof text === "string" && typeof belongs === "boolean";
};
