/**
 * All that the form holds, as the fragment of a link: packed JSON in base64url. A fragment
 * is not sent to any server.
 */

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

/** The most that a fragment may unpack to: a link comes from anywhere. */
const MOST_BYTES = 1_000_000;

/** A fragment that holds all of it. */
export async function toFragment(shared: Shared): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  return `#${KEY}${base64url(packed)}`;
}

/** What a fragment holds; `undefined` if it holds nothing that was shared. */
export async function fromFragment(fragment: string): Promise<Shared | undefined> {
  if (!fragment.startsWith(`#${KEY}`)) return undefined;
  try {
    const packed = fromBase64url(fragment.slice(1 + KEY.length));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    return read(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** A thing from outside, if it is what a link carries. */
function read(thing: unknown): Shared | undefined {
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

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  pipe: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(pipe).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MOST_BYTES) throw new RangeError("the link unpacks to too much");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

function base64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
