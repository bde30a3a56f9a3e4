/** Files, where this is not run in a browser. */

interface Files {
  readFile(url: URL): Promise<BufferSource>;
}

/** What Node, and others as it does, have of their own; bundlers for browsers see no import. */
declare const process: { getBuiltinModule(name: string): Files };

/** The bytes of a file. */
export async function onDisk(url: URL): Promise<BufferSource> {
  return process.getBuiltinModule("node:fs/promises").readFile(url);
}
