/**
 * Models in the browser's storage, by the hash of each file, and their records, by address.
 *
 * A file is kept in pieces, as it comes, so that a download that broke off goes on where
 * it was, also after the page was closed. Nothing is trusted: whoever takes a file out
 * compares its hash. Where there is no storage, or no room in it, models are held in
 * memory only.
 */

/** The cache's name in the browser's storage. */
export const MODEL_STORE = "lacuna-models";

/** Bytes of a piece. */
export const PIECE = 4 * 1024 * 1024;

/** A file under way: what was kept of it, and what is to be kept. */
export interface KeptFile {
  /** The pieces that are there, in order, without a gap. */
  readonly pieces: readonly Uint8Array[];
  /** Keeps the next piece; `false` if there is no room, and then nothing is kept. */
  add(piece: Uint8Array): Promise<boolean>;
  /** Forgets the file. */
  forget(): Promise<void>;
}

/** Keeps files. No call ever rejects. */
export class ModelStore {
  readonly #caches: CacheStorage | undefined;

  /** `caches` is undefined where the browser has none, as on pages that are not secure. */
  constructor(caches: CacheStorage | undefined) {
    this.#caches = caches;
  }

  /** What there is of a file. */
  async open(sha256: string): Promise<KeptFile> {
    const cache = await this.#caches?.open(MODEL_STORE).catch(() => undefined);
    if (!cache) return NOTHING;
    const pieces = await readPieces(cache, sha256).catch(() => []);
    let next = pieces.length;
    let room = true;
    const forget = async () => {
      for (let index = 0; index < next; index++) {
        await cache.delete(address(sha256, index)).catch(() => false);
      }
      next = 0;
    };
    return {
      pieces,
      forget,
      async add(piece) {
        if (!room) return false;
        try {
          await cache.put(address(sha256, next), entry(piece));
          next += 1;
        } catch {
          room = false;
          await forget();
        }
        return room;
      },
    };
  }

  /** Whether a file of so many bytes is there, as far as can be told without reading it. */
  async holds(sha256: string, bytes: number): Promise<boolean> {
    try {
      const cache = await this.#caches?.open(MODEL_STORE);
      let there = 0;
      for (let index = 0; there < bytes; index++) {
        const found = await cache?.match(address(sha256, index));
        if (!found) return false;
        there += Number(found.headers.get(SIZE));
      }
      return there === bytes;
    } catch {
      return false;
    }
  }

  /** The text of a model's record, by the address that it was fetched from. */
  async record(url: string): Promise<string | undefined> {
    try {
      const cache = await this.#caches?.open(MODEL_STORE);
      return await (await cache?.match(recordAddress(url)))?.text();
    } catch {
      return undefined;
    }
  }

  /** Keeps a model's record. */
  async keepRecord(url: string, text: string): Promise<void> {
    try {
      const cache = await this.#caches?.open(MODEL_STORE);
      await cache?.put(recordAddress(url), new Response(text));
    } catch {
      // Without room for it, it is fetched each time.
    }
  }

  /** Forgets a model's record. */
  async forgetRecord(url: string): Promise<void> {
    try {
      const cache = await this.#caches?.open(MODEL_STORE);
      await cache?.delete(recordAddress(url));
    } catch {
      // It was not kept.
    }
  }

  /** Forgets all models. */
  async clear(): Promise<void> {
    await this.#caches?.delete(MODEL_STORE).catch(() => false);
  }
}

const NOTHING: KeptFile = { pieces: [], add: async () => false, forget: async () => {} };

async function readPieces(cache: Cache, sha256: string): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (;;) {
    const found = await cache.match(address(sha256, pieces.length));
    if (!found) return pieces;
    pieces.push(new Uint8Array(await found.arrayBuffer()));
  }
}

const SIZE = "x-bytes";

const entry = (piece: Uint8Array): Response =>
  new Response(piece.slice(), { headers: { [SIZE]: String(piece.length) } });

/** An address that nothing is fetched from. */
const address = (sha256: string, index: number): string =>
  `https://models.invalid/${sha256}/${index}`;

const recordAddress = (url: string): string =>
  `https://models.invalid/record?of=${encodeURIComponent(url)}`;
