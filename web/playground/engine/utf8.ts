/** Bytes as text: a byte order mark is a character like others here. */

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

export const decode = (bytes: Uint8Array): string => decoder.decode(bytes);

/** The text, or the bytes where they hold part of a character. */
export function decodeWhole(bytes: Uint8Array): string | Uint8Array {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes;
  }
}
