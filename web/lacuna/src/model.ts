/** Models: where they come from and where they run. */

import { resolveUrl } from "./base-url.ts";
import { browserCaches } from "./browser-caches.ts";
import { cancelled, FAULT, invalid, LacunaError } from "./fault.ts";
import { count, rule, shown } from "./options.ts";
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

/** The files of a model. */
export interface ModelFiles {
  readonly config: ModelFile;
  readonly tokenizer: ModelFile;
  /** One file, or the shards that the weights are parted into. */
  readonly weights: ModelFile | readonly ModelFile[];
}

/** The files of a model, as they are fetched. */
export interface FoundFiles extends ModelFiles {
  readonly weights: readonly ModelFile[];
  /** Where the index of shards would be, if the weights are not where they are looked for. */
  readonly index?: ModelFile;
}

/**
 * A model: the folder that holds its files and, in `model.json`, their sizes and hashes;
 * or the files one by one.
 */
export type ModelSource = string | URL | ModelFiles;

/** Bytes of a model's files so far, kept ones included. */
export interface Progress {
  readonly loaded: number;
  /** `null` where neither a record nor the servers say. */
  readonly total: number | null;
}

/** What weights that are not parted are called in a model's folder. */
const WHOLE = "model.safetensors";

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
  store = new ModelStore(browserCaches()),
): Promise<FoundFiles> {
  if (typeof source !== "string" && !(source instanceof URL)) return givenFiles(source);
  const folder = addressOf(source);
  if (!isFolder(folder))
    throw invalid(`The model's address ${JSON.stringify(source)} is no folder's`);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  const recordUrl = beside(folder.href, "model.json");
  const { files = {} } = await readRecord(recordUrl, store, signal);
  const file = (name: string) => fileAt(beside(folder.href, name), files[name] ?? {});
  const [config, tokenizer] = [file("config.json"), file("tokenizer.json")];
  const names = Object.keys(files).filter((name) => name.endsWith(".safetensors"));
  if (names.length === 0) {
    const index = file(`${WHOLE}.index.json`);
    return { config, tokenizer, weights: [file(WHOLE)], index };
  }
  const shards = names.includes(WHOLE) ? [WHOLE] : names;
  // Half a pair of surrogates is no part of an address.
  const away = shards.find((name) => /[/\\:\p{Surrogate}]/u.test(name));
  if (away !== undefined) {
    const why = `names ${JSON.stringify(away)}, which is no file beside it`;
    throw recordFault(recordUrl, FAULT.integrity, why);
  }
  return { config, tokenizer, weights: shards.map(file) };
}

/** Whether a server says that it has no such file. */
export const isMissing = ({ status }: Response): boolean => [401, 403, 404, 410].includes(status);

/** Whether it says so with a page for people, as some do. */
export const isPage = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/html") ?? false;

/** The address of a file in the folder of another, or in a folder. */
export function beside(address: string, name: string): URL {
  const url = new URL(encodeURIComponent(name), address);
  url.search = new URL(address).search;
  return url;
}

/** Files that are named one by one. */
function givenFiles(source: ModelFiles): FoundFiles {
  const isParted = Array.isArray(source?.weights);
  const weights = (isParted ? source.weights : [source?.weights]) as readonly ModelFile[];
  const shape = "A model is the address of its folder, or { config, tokenizer, weights }";
  if (typeof source !== "object" || source === null || weights.length === 0)
    throw invalid(`${shape}, not ${shown(source)}`);
  const named: (readonly [string, ModelFile | undefined])[] = [
    ["config", source.config],
    ["tokenizer", source.tokenizer],
    ...weights.map((file) => ["weights", file] as const),
  ];
  for (const [name, file] of named) {
    const found = `${name} is { url, bytes?, sha256? }, not ${shown(file)}`;
    if (!file?.url) throw invalid(`${shape}; ${found}`);
  }
  const given = (file: ModelFile, name: string) => {
    const { url, bytes, sha256 } = file;
    if (bytes !== undefined) size(`model.${name}.bytes`, bytes);
    if (sha256 !== undefined) hash(`model.${name}.sha256`, sha256);
    return fileAt(addressOf(url), file);
  };
  return {
    config: given(source.config, "config"),
    tokenizer: given(source.tokenizer, "tokenizer"),
    weights: weights.map((file, at) => given(file, isParted ? `weights[${at}]` : "weights")),
  };
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
  const fault = (kind: string, why: string, cause?: unknown) => recordFault(url, kind, why, cause);
  const asking = { cache: "no-cache", ...(signal ? { signal } : {}) } as const;
  const response = await fetch(url, asking).catch(async (error: unknown) => {
    if (signal?.aborted) throw cancelled(signal);
    const kept = await store.record(url.href);
    if (kept !== undefined) return new Response(kept);
    throw fault(FAULT.network, "could not be fetched", error);
  });
  if (isMissing(response) || (response.ok && isPage(response))) {
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

function recordFault(url: URL, kind: string, why: string, cause?: unknown): LacunaError {
  const message = `The model's record ${url.href} ${why}.`;
  return new LacunaError({ kind, message }, { cause });
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
