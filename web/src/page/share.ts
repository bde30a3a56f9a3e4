/** All that the form holds, as the fragment of a link. */

import { holds, packed, unpacked } from "../fragment.ts";
import { KINDS, type Kind, MODELS, type ModelName } from "./presets.ts";

/** What a link carries. */
export interface Shared {
  readonly model: ModelName;
  readonly kind: Kind;
  readonly grammar: string;
  readonly request: string;
  readonly task?: string;
  /** The form's other fields, by their ids. */
  readonly fields: Readonly<Record<string, string>>;
  /** Methods that are shown beside ours. */
  readonly methods: readonly string[];
}

const KEY = "s=";

/** The most that a fragment may unpack to. */
const MOST_BYTES = 1_000_000;

/** A fragment that holds all of it; `undefined` where that is too much for one. */
export const toFragment = (shared: Shared): Promise<string | undefined> =>
  packed(KEY, shared, MOST_BYTES);

/** Whether a fragment was made to hold what is shared; parts of it may be lost. */
export const isLink = (fragment: string): boolean => holds(KEY, fragment);

/** What a fragment holds; `undefined` if it holds nothing that was shared. */
export async function fromFragment(fragment: string): Promise<Shared | undefined> {
  return sharedOf(await unpacked(KEY, fragment, MOST_BYTES));
}

/** A thing from outside, if it is what a link carries. */
export function sharedOf(thing: unknown): Shared | undefined {
  if (typeof thing !== "object" || thing === null) return undefined;
  const { model, kind, grammar, request, task, fields, methods } = thing as Partial<Shared>;
  if (!MODELS.includes(model as ModelName) || !KINDS.includes(kind as Kind)) return undefined;
  if (typeof grammar !== "string" || typeof request !== "string") return undefined;
  const texts = Object.entries(fields ?? {}).filter(([, value]) => typeof value === "string");
  return {
    model: model as ModelName,
    kind: kind as Kind,
    grammar,
    request,
    ...(typeof task === "string" ? { task } : {}),
    fields: Object.fromEntries(texts),
    methods: Array.isArray(methods) ? methods.filter((name) => typeof name === "string") : [],
  };
}
