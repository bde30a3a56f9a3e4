/** A link that carries everything, in its fragment, which is sent to no server. */

import { KINDS, type State, type Test } from "./state.ts";

const KEY = "p=";

/** The most that a fragment may unpack to: a link comes from anywhere. */
const MOST_BYTES = 2_000_000;

/** A fragment that holds the state, `#` included. */
export async function toFragment(state: State): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  const binary = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return `#${KEY}${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** What a fragment holds; `undefined` if that is no state. */
export async function fromFragment(fragment: string): Promise<State | undefined> {
  if (!fragment.startsWith(`#${KEY}`)) return undefined;
  try {
    const text = fragment
      .slice(1 + KEY.length)
      .replaceAll("-", "+")
      .replaceAll("_", "/");
    const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    return stateOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** A thing from outside, if it is a state. */
export function stateOf(thing: unknown): State | undefined {
  if (typeof thing !== "object" || thing === null) return undefined;
  const { kind, grammar, text, request, cells, tests } = thing as Partial<Record<string, unknown>>;
  const known = KINDS.find((it) => it === kind);
  if (!known || typeof grammar !== "string" || typeof text !== "string") return undefined;
  return {
    kind: known,
    grammar,
    text,
    request: typeof request === "string" ? request : "",
    cells: cells === "tokens" ? "tokens" : "characters",
    tests: Array.isArray(tests) ? tests.filter(isTest) : [],
  };
}

const isTest = (thing: unknown): thing is Test => {
  const { text, belongs } = (thing ?? {}) as Partial<Test>;
  return typeof text === "string" && typeof belongs === "boolean";
};

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  pipe: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: BlobPart[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(pipe).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > MOST_BYTES) throw new RangeError("the link unpacks to too much");
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
}
