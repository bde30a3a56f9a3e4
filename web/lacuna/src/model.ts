/** Models: where they come from and where they run. */

import { resolveUrl } from "./base-url.ts";
import { cancelled, FAULT, invalid, LacunaError } from "./fault.ts";
import { count, rule } from "./options.ts";
import { ModelStore } from "./worker/model-store.ts";

/** Where a model shall run; `auto` takes the graphics card if it is right and not slower. */
export type DevicePreference = "auto" | "cpu" | "gpu";

/** Where a model runs, and why there. */
export interface DeviceReport {
  /** `cpu` or `webgpu`. */
  readonly device: string;
  /** The graphics card's name, where the browser tells it. */
  readonly adapter?: string;
  /** Threads of the processor. */
  readonly threads: number;
  /** Half a sentence for people. */
  readonly why: string;
}

/** A loaded model's facts. */
export interface ModelInfo {
  readonly parameters: number;
  readonly vocabulary: number;
  readonly layers: number;
  readonly hidden: number;
  readonly maxPositions: number;
  readonly device: DeviceReport;
}

/** A file of a model. */
export interface ModelFile {
  readonly url: string;
  /** Its size, for the progress before it is there. */
  readonly bytes?: number;
  /** The SHA-256 of its bytes, as hexadecimal digits. Without it, it is not kept. */
  readonly sha256?: string;
}

/** The three files of a model. */
export interface ModelFiles<File = ModelFile> {
  readonly config: File;
  readonly tokenizer: File;
  readonly weights: File;
}

/**
 * A model: the folder that holds its files and, in `model.json`, their sizes and hashes;
 * or the files one by one.
 */
export type ModelSource = string | URL | ModelFiles;

/** Bytes of a model's files so far, kept ones included. */
export interface Progress {
  readonly loaded: number;
  /** `null` where the server does not say. */
  readonly total: number | null;
}

/** What the files of a model are called in its folder. */
const NAMES: ModelFiles<string> = {
  config: "config.json",
  tokenizer: "tokenizer.json",
  weights: "model.safetensors",
};

/** Each part of a model, made of its parts in others. */
export async function eachFile<From, To>(
  files: ModelFiles<From>,
  make: (file: From) => To | Promise<To>,
): Promise<ModelFiles<To>> {
  const { config, tokenizer, weights } = files;
  const made = await Promise.all([make(config), make(tokenizer), make(weights)] as const);
  return { config: made[0], tokenizer: made[1], weights: made[2] };
}

/** What `model.json` says of the files beside it, by their names. */
interface ModelRecord {
  readonly files?: Readonly<Record<string, Pick<ModelFile, "bytes" | "sha256">>>;
}

/**
 * The files of a model. A folder without `model.json` says nothing of its files. Its record is
 * kept in `store`, and taken from there where the server cannot be reached.
 */
export async function modelFiles(
  source: ModelSource,
  signal?: AbortSignal,
  store = new ModelStore(globalThis.caches),
): Promise<ModelFiles> {
  if (typeof source !== "string" && !(source instanceof URL)) {
    const parts = Object.keys(NAMES) as (keyof ModelFiles)[];
    if (!parts.every((part) => source?.[part]?.url))
      throw invalid("A model is the address of its folder, or { config, tokenizer, weights }");
    for (const part of parts) {
      const { bytes, sha256 } = source[part];
      if (bytes !== undefined) size(`model.${part}.bytes`, bytes);
      if (sha256 !== undefined) hash(`model.${part}.sha256`, sha256);
    }
    return eachFile(source, (file) => fileAt(addressOf(file.url), file));
  }
  const folder = addressOf(source);
  if (!isFolder(folder))
    throw invalid(`The model's address ${JSON.stringify(source)} is no folder's`);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  const inside = (name: string) => {
    const url = new URL(name, folder);
    url.search = folder.search;
    return url;
  };
  const record = await readRecord(inside("model.json"), store, signal);
  return eachFile(NAMES, (name) => fileAt(inside(name), record.files?.[name] ?? {}));
}

const size = count(0, Number.MAX_SAFE_INTEGER);
const isHash = (value: unknown) => typeof value === "string" && /^[0-9a-f]{64}$/i.test(value);
const hash = rule(isHash, "64 hexadecimal digits");

/** Whether there are addresses within an address; those of some schemes have none. */
function isFolder(url: URL): boolean {
  try {
    return !!new URL("model.json", url);
  } catch {
    return false;
  }
}

/** A file as plain data, which crosses to the worker. */
function fileAt(url: URL, { bytes, sha256 }: Omit<ModelFile, "url">): ModelFile {
  return {
    url: url.href,
    ...(bytes === undefined ? {} : { bytes }),
    ...(sha256 === undefined ? {} : { sha256: sha256.toLowerCase() }),
  };
}

function addressOf(given: string | URL): URL {
  try {
    return resolveUrl(given);
  } catch (error) {
    throw invalid(`The model's address ${JSON.stringify(given)} is no URL`, error);
  }
}

/**
 * The record of a folder; of one that has none, an empty one. A record that is there but cannot
 * be had is a fault: without it files would neither be compared with their hashes nor kept.
 */
async function readRecord(
  url: URL,
  store: ModelStore,
  signal: AbortSignal | undefined,
): Promise<ModelRecord> {
  const fault = (kind: string, why: string, cause?: unknown) =>
    new LacunaError({ kind, message: `The model's record ${url.href} ${why}.` }, { cause });
  const response = await fetch(url, signal ? { signal } : {}).catch(async (error: unknown) => {
    if (signal?.aborted) throw cancelled(signal);
    const kept = await store.record(url.href);
    if (kept !== undefined) return new Response(kept);
    throw fault(FAULT.network, "could not be fetched", error);
  });
  const isPage = response.headers.get("content-type")?.startsWith("text/html");
  const isMissing = [401, 403, 404, 410].includes(response.status);
  if (isMissing || (response.ok && isPage)) {
    await response.body?.cancel();
    await store.forgetRecord(url.href);
    return {};
  }
  if (!response.ok)
    throw fault(FAULT.network, `could not be fetched: the server answered ${response.status}`);
  const text = await response.text().catch((error: unknown) => {
    if (signal?.aborted) throw cancelled(signal);
    throw fault(FAULT.network, "could not be read", error);
  });
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (error) {
    throw fault(FAULT.integrity, "could not be read", error);
  }
  if (!isRecord(record)) throw fault(FAULT.integrity, "does not say sizes and hashes of files");
  await store.keepRecord(url.href, text);
  return record;
}

function isRecord(value: unknown): value is ModelRecord {
  if (typeof value !== "object" || value === null) return false;
  const { files = {} } = value as ModelRecord;
  if (typeof files !== "object" || files === null) return false;
  return Object.values(files).every(
    (file) =>
      typeof file === "object" &&
      file !== null &&
      ["number", "undefined"].includes(typeof file.bytes) &&
      (file.sha256 === undefined || isHash(file.sha256)),
  );
}
