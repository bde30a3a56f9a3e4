/** Files, where this is not run in a browser. */

/** The bytes of a file. */
export async function onDisk(url: URL): Promise<BufferSource> {
  // By a name that bundlers for browsers do not look for.
  const files = "node:fs/promises";
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ files);
  return readFile(url);
}
