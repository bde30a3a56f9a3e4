/**
 * Things packed into the fragment of a link, as compressed JSON in base64url. A fragment
 * is not sent to any server.
 */

/**
 * A fragment that holds a thing, `#` included; `key` tells what kind of thing. `undefined` where
 * it would unpack to more than `mostBytes`.
 */
export async function packed(
  key: string,
  thing: unknown,
  mostBytes: number,
): Promise<string | undefined> {
  const bytes = new TextEncoder().encode(JSON.stringify(thing));
  if (bytes.length > mostBytes) return undefined;
  const compressed = await through(bytes, new CompressionStream("deflate-raw"), Infinity);
  const binary = Array.from(compressed, (byte) => String.fromCharCode(byte)).join("");
  return `#${key}${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** Whether a fragment says that it holds something under this key, readable or not. */
export const holds = (key: string, fragment: string): boolean => fragment.startsWith(`#${key}`);

/** What is said of a fragment that holds something, but nothing that can be read. */
export const UNREADABLE = {
  title: "This link could not be read.",
  message: "Part of it may have been lost on the way. What you see did not come with it.",
};

/**
 * The thing that a fragment holds under this key; `undefined` if it holds none, or one of
 * more than `mostBytes`: a link comes from anywhere.
 */
export async function unpacked(key: string, fragment: string, mostBytes: number): Promise<unknown> {
  if (!holds(key, fragment)) return undefined;
  try {
    const text = fragment.slice(1 + key.length);
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const compressed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const bytes = await through(compressed, new DecompressionStream("deflate-raw"), mostBytes);
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  pipe: CompressionStream | DecompressionStream,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: BlobPart[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(pipe).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > mostBytes) throw new RangeError("the link unpacks to too much");
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
}
