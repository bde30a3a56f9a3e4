/**
 * Fetching a model's files: kept ones are not fetched again, broken downloads go on where
 * they were, and what has a hash is compared with it.
 */

import { abortable } from "../abortable.ts";
import { eitherSignal } from "../either-signal.ts";
import { cancelled, FAULT, LacunaError, throwIfAborted } from "../fault.ts";
import {
  beside,
  type FoundFiles,
  isMissing,
  isPage,
  type ModelFile,
  type Progress,
} from "../model.ts";
import { type KeptFile, type ModelStore, PIECE } from "./model-store.ts";
import { sha256 } from "./sha256.ts";

/** A file's bytes. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A model's files but for its weights. */
export interface Texts {
  readonly config: Bytes;
  readonly tokenizer: Bytes;
}

/** Takes a model's weights as they come; what it was handed is not held here any longer. */
export interface WeightsTaker {
  /** Takes the index of shards; gives their names. */
  index(json: Bytes): Promise<readonly string[]>;
  /** Takes one file. */
  add(name: string, file: Bytes): Promise<void>;
}

/** What a download takes besides the files. */
export interface DownloadOptions {
  readonly store: ModelStore;
  readonly onProgress: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds before each further attempt. */
  readonly pauses?: readonly number[];
}

/** How often a connection that breaks off is tried again, and after how long. */
const PAUSES = [300, 1_000, 3_000];

/**
 * Fetches a model's files. Those of its weights come one after another, so that no more than
 * one of them is held.
 */
export async function fetchModel(
  { config, tokenizer, weights, index }: FoundFiles,
  taker: WeightsTaker,
  { onProgress, ...options }: DownloadOptions,
): Promise<Texts> {
  const parts = new Map<ModelFile, { loaded: number; total: number | null }>();
  const expect = (files: readonly ModelFile[]) => {
    for (const file of files) parts.set(file, { loaded: 0, total: file.bytes ?? null });
  };
  const tell = () => {
    let [loaded, total]: [number, number | null] = [0, 0];
    for (const part of parts.values()) {
      loaded += part.loaded;
      total = total === null || part.total === null ? null : total + part.total;
    }
    onProgress({ loaded, total });
  };
  // Where one cannot be had, the others are of no use.
  const own = new AbortController();
  const signal = eitherSignal(own, options.signal);
  const fetchFile = (file: ModelFile) =>
    new Download(file, { ...options, signal }, (loaded, total) => {
      if (!parts.has(file)) return;
      parts.set(file, { loaded, total: file.bytes ?? total });
      tell();
    }).run();
  // By itself, so that its bytes are gone with it.
  const takeOne = async (file: ModelFile, name: string) => {
    const bytes = await fetchFile(file);
    throwIfAborted(signal);
    await taker.add(name, bytes);
  };
  const take = async (
    files: readonly ModelFile[],
    names: readonly string[] = files.map(nameOf),
  ) => {
    for (const [at, file] of files.entries()) await takeOne(file, names[at] ?? "");
  };
  const takeShards = async (index: ModelFile, whole: NotThere) => {
    const json = await fetchFile(index).catch((error: unknown) => {
      throw error instanceof NotThere ? whole : error;
    });
    throwIfAborted(signal);
    const names = await taker.index(json);
    const shards = names.map((name) => ({ url: beside(index.url, name).href }));
    for (const file of weights) parts.delete(file);
    expect(shards);
    await take(shards, names);
  };
  const takeWeights = () =>
    take(weights).catch((error: unknown) => {
      if (!(index && error instanceof NotThere)) throw error;
      return takeShards(index, error);
    });
  expect([config, tokenizer, ...weights]);
  const fetched = [fetchFile(config), fetchFile(tokenizer), takeWeights()] as const;
  return Promise.all(fetched)
    .then(([config, tokenizer]) => ({ config, tokenizer }))
    .finally(() => own.abort());
}

/** One file under way. */
class Download {
  readonly #file: ModelFile;
  readonly #options: Omit<DownloadOptions, "onProgress">;
  readonly #onBytes: (loaded: number, total: number | null) => void;
  #chunks: Uint8Array[] = [];
  #loaded = 0;
  #total: number | null = null;
  #kept: KeptFile | undefined;
  /** Whether a server was believed that it went on where the download was. */
  #believed = false;
  /** Whether what the browser remembers of the file is left aside. */
  #reload = false;
  /** What is not yet a piece. */
  #loose: Uint8Array[] = [];
  #looseBytes = 0;

  constructor(
    file: ModelFile,
    options: Omit<DownloadOptions, "onProgress">,
    onBytes: (loaded: number, total: number | null) => void,
  ) {
    this.#file = file;
    this.#options = options;
    this.#onBytes = onBytes;
  }

  async run(): Promise<Bytes> {
    const { sha256: wanted, bytes: size } = this.#file;
    if (!wanted) {
      const bytes = await this.#fetch();
      if (size === undefined || bytes.length === size) return bytes;
      throw this.#notTheOne(`it has ${bytes.length} bytes, not ${size}`);
    }
    // Another tab that fetches the same is waited for, and then nothing is left to fetch.
    return alone(`lacuna-model-${wanted}`, this.#options.signal, async () => {
      const kept = await this.#options.store.open(wanted);
      this.#kept = kept;
      for (const piece of kept.pieces) this.#count(piece);
      const complete = this.#loaded > 0 && this.#loaded === this.#file.bytes;
      const bytes = complete ? concatenate(this.#chunks) : await this.#fetch();
      if ((await sha256(bytes)) === wanted) return bytes;
      await kept.forget();
      // What was kept may have been damaged since, what followed may have been something else, and
      // the browser may remember the file that was there before.
      return this.#afresh(wanted);
    });
  }

  async #afresh(wanted: string): Promise<Bytes> {
    this.#startOver();
    this.#reload = true;
    this.#kept = await this.#options.store.open(wanted);
    const bytes = await this.#fetch();
    if ((await sha256(bytes)) === wanted) return bytes;
    await this.#kept?.forget();
    throw this.#notTheOne();
  }

  /** Fetches what is missing, trying again where the connection breaks off. */
  async #fetch(): Promise<Bytes> {
    const { pauses = PAUSES, signal } = this.#options;
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          await this.#attempt();
          return concatenate(this.#chunks);
        } catch (error) {
          if (signal?.aborted) throw cancelled(signal);
          const pause = pauses[attempt];
          if (!(error instanceof BrokenOff) || pause === undefined) throw this.#unreachable(error);
          await paused(pause, signal);
        }
      }
    } finally {
      // Whether it is all there or not: what there is need not be fetched again.
      if (this.#looseBytes > 0) await this.#kept?.add(concatenate(this.#loose));
    }
  }

  async #attempt(): Promise<void> {
    const { url } = this.#file;
    const { signal } = this.#options;
    const from = this.#loaded;
    const response = await fetch(url, {
      ...(signal ? { signal } : {}),
      ...(this.#reload ? { cache: "reload" } : {}),
      ...(from > 0 ? { headers: { range: `bytes=${from}-` } } : {}),
    }).catch((error: unknown) => {
      throw from > 0 ? new BrokenOff(error) : error;
    });
    // Nothing is left, or what was kept is longer than what there is.
    if (response.status === 416) {
      const range = response.headers.get("content-range");
      if (range === null && this.#file.sha256 && !this.#believed) {
        this.#believed = true;
        return;
      }
      return range === `bytes */${from}` ? undefined : this.#again();
    }
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      const message = this.#failure(`the server answered ${response.status}`);
      throw isMissing(response)
        ? new NotThere(message)
        : new LacunaError({ kind: FAULT.network, message });
    }
    if (isPage(response)) {
      await response.body.cancel();
      const why = "the server answered with a page, as some do where there is no such file";
      throw new NotThere(this.#failure(why));
    }
    if (from > 0 && !this.#resumes(response, from)) {
      // A part, but not of what is wanted: the whole is asked for.
      if (response.status === 206) {
        await response.body.cancel();
        return this.#again();
      }
      await this.#kept?.forget();
      this.#startOver();
    }
    this.#total = lengthOf(response, this.#loaded);
    const reader = response.body.getReader();
    for (;;) {
      const next = await reader.read().catch((error: unknown) => {
        throw new BrokenOff(error);
      });
      if (next.done) break;
      this.#count(next.value);
      await this.#keep(next.value);
    }
  }

  /**
   * Whether a response goes on where the download is. A server of another origin need not let
   * the page see what it sends; where there is a hash, that will tell.
   */
  #resumes(response: Response, from: number): boolean {
    if (response.status !== 206) return false;
    const range = response.headers.get("content-range");
    if (range !== null) return range.startsWith(`bytes ${from}-`);
    this.#believed = this.#file.sha256 !== undefined;
    return this.#believed;
  }

  /** The whole file, from its beginning. */
  async #again(): Promise<void> {
    await this.#kept?.forget();
    this.#startOver();
    await this.#attempt();
  }

  #startOver(): void {
    this.#chunks = [];
    this.#loose = [];
    this.#loaded = 0;
    this.#looseBytes = 0;
  }

  #count(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#loaded += chunk.length;
    this.#onBytes(this.#loaded, this.#total);
  }

  /** Keeps whole pieces of what has come. */
  async #keep(chunk: Uint8Array): Promise<void> {
    if (!this.#kept) return;
    this.#loose.push(chunk);
    this.#looseBytes += chunk.length;
    if (this.#looseBytes < PIECE) return;
    const whole = concatenate(this.#loose);
    let at = 0;
    for (; whole.length - at >= PIECE; at += PIECE) {
      if (await this.#kept.add(whole.subarray(at, at + PIECE))) continue;
      // No room: from here on in memory only.
      this.#kept = undefined;
      return;
    }
    this.#loose = [whole.subarray(at)];
    this.#looseBytes = whole.length - at;
  }

  #unreachable(error: unknown): LacunaError {
    if (error instanceof LacunaError) return error;
    const cause = error instanceof BrokenOff ? error.cause : error;
    const message = cause instanceof Error ? cause.message : String(cause);
    return new LacunaError({ kind: FAULT.network, message: this.#failure(message) }, { cause });
  }

  #notTheOne(why = "its SHA-256 is another"): LacunaError {
    const message = `The model's file ${this.#name} is not the one that is wanted: ${why}.`;
    return new LacunaError({ kind: FAULT.integrity, message });
  }

  #failure(why: string): string {
    return `The model's file ${this.#name} could not be fetched from ${this.#file.url}: ${why}.`;
  }

  get #name(): string {
    return nameOf(this.#file);
  }
}

function nameOf({ url }: ModelFile): string {
  const address = url.replace(/[?#].*/s, "");
  return address.slice(address.lastIndexOf("/") + 1);
}

/** A server that answers, but has no such file. */
class NotThere extends LacunaError {
  constructor(message: string) {
    super({ kind: FAULT.network, message });
  }
}

/** A connection that broke off after it had begun. */
class BrokenOff extends Error {
  constructor(cause: unknown) {
    super("The connection broke off.", { cause });
  }
}

/** Waits; throws as soon as the wait is given up. */
function paused(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const wait = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return abortable(wait, signal).finally(() => clearTimeout(timer));
}

/** The whole file's bytes, where the server says. */
function lengthOf({ headers }: Response, from: number): number | null {
  // A length is of what travels; it says nothing of the bytes if they were packed.
  if (headers.get("content-encoding")) return null;
  const length = headers.get("content-length");
  return length === null ? null : from + Number(length);
}

/** Does work that only one tab may do at a time, where the browser can see to that. */
function alone<Result>(
  name: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const { locks } = globalThis.navigator ?? {};
  if (!locks) return work();
  let begun = false;
  const begin = () => {
    begun = true;
    return work();
  };
  return locks.request(name, signal ? { signal } : {}, begin).catch((error: unknown) => {
    if (signal?.aborted) throw cancelled(signal);
    if (begun) throw error;
    // A frame without an origin of its own has no locks, and shares nothing with others.
    return work();
  }) as Promise<Result>;
}

function concatenate(chunks: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
