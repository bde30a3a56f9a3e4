/**
 * Compiled grammars in the browser's storage, so that a page that is opened again
 * need not compile them.
 *
 * An entry is a response in a cache of the page's origin; its address holds its
 * key and its size, so that the bound is kept without reading any. The cache lists
 * entries in the order they were put in; one that was used is put in again, and
 * the first make room. Nothing here is trusted or needed: the engine finds out
 * what is wrong with an entry, and where there is no storage, or no room in it,
 * grammars are compiled.
 */

/** The cache's name in the browser's storage. */
export const STORE_NAME = "lacuna-grammars";

/** Bytes that all entries may take together. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Keeps entries by key. No call but {@link clear} ever rejects. */
export class GrammarStore {
  readonly #caches: CacheStorage | undefined;
  readonly #most: number;
  /** What is under way is waited for, so that the bound is reckoned on what is there. */
  #writing: Promise<void> = Promise.resolve();

  /** `caches` is undefined where the browser has none, as on pages that are not secure. */
  constructor(caches: CacheStorage | undefined, most = MOST_BYTES) {
    this.#caches = caches;
    this.#most = most;
  }

  /** The entry of a key. */
  async get(key: string): Promise<Uint8Array | undefined> {
    try {
      await this.#writing;
      const cache = await this.#caches?.open(STORE_NAME);
      const found = await cache?.match(address(key, 0), { ignoreSearch: true });
      if (!found) return undefined;
      const entry = new Uint8Array(await found.arrayBuffer());
      void this.put(key, entry);
      return entry;
    } catch {
      return undefined;
    }
  }

  /** Keeps an entry, the newest now; resolves when that was done or given up. */
  put(key: string, entry: Uint8Array): Promise<void> {
    this.#writing = this.#writing.then(() => this.#put(key, entry)).catch(() => {});
    return this.#writing;
  }

  /** Removes all entries. */
  async clear(): Promise<void> {
    await this.#caches?.delete(STORE_NAME);
  }

  async #put(key: string, entry: Uint8Array): Promise<void> {
    const cache = await this.#caches?.open(STORE_NAME);
    if (!cache || entry.byteLength > this.#most) return;
    await cache.delete(address(key, 0), { ignoreSearch: true });
    const kept = await cache.keys();
    let bytes = kept.reduce((sum, request) => sum + sizeOf(request), entry.byteLength);
    for (const request of kept) {
      if (bytes <= this.#most) break;
      await cache.delete(request);
      bytes -= sizeOf(request);
    }
    await cache.put(address(key, entry.byteLength), new Response(entry.slice()));
  }
}

/** An address that nothing is fetched from. */
const address = (key: string, bytes: number): string =>
  `https://grammars.invalid/${key}?bytes=${bytes}`;

const sizeOf = ({ url }: Request): number => Number(new URL(url).searchParams.get("bytes")) || 0;
