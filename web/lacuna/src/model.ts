/** Models: where they come from and where they run. */

import { resolveUrl } from "./base-url.ts";
import { cancelled, FAULT, LacunaError } from "./fault.ts";

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
    if (Object.keys(NAMES).every((part) => source?.[part as keyof ModelFiles]?.url)) {
      for (const part of Object.keys(NAMES)) {
        const { bytes, sha256 } = source[part as keyof ModelFiles];
        if (bytes !== undefined) size(`${part}.bytes`, bytes);
        if (sha256 !== undefined) hash(`${part}.sha256`, sha256);
      }
      return eachFile(source, (file) => fileAt(addressOf(file.url), file));
    }
    throw invalid("A model is the address of its folder, or { config, tokenizer, weights }");
  }
  const folder = addressOf(source);
  if (!URL.canParse("model.json", folder.href))
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
    const message = `The model's address ${JSON.stringify(given)} is no URL.`;
    throw new LacunaError({ kind: FAULT.invalid, message }, { cause: error });
  }
}

/**
 * The record of a folder; of one that has none, an empty one. A record that is there but cannot
 * be had is a fault: without it files would neither be compared with their hashes nor kept.
 */
async function readRecord(url: URL, signal?: AbortSignal): Promise<ModelRecord> {
  const fault = (kind: string, why: string, cause?: unknown) =>
    new LacunaError({ kind, message: `The model's record ${url.href} ${why}.` }, { cause });
  const response = await fetch(url, signal ? { signal } : {}).catch((error: unknown) => {
    throw signal?.aborted ? cancelled(signal) : fault(FAULT.network, "could not be fetched", error);
  });
  const isPage = response.headers.get("content-type")?.startsWith("text/html");
  const isMissing = [401, 403, 404, 410].includes(response.status);
  if (isMissing || (response.ok && isPage)) {
    await response.body?.cancel();
    return {};
  }
  if (!response.ok)
    throw fault(FAULT.network, `could not be fetched: the server answered ${response.status}`);
  const record: unknown = await response.json().catch((error: unknown) => {
    if (signal?.aborted) throw cancelled(signal);
    const isCut = !(error instanceof SyntaxError);
    throw fault(isCut ? FAULT.network : FAULT.integrity, "could not be read", error);
  });
  if (!isRecord(record)) throw fault(FAULT.integrity, "does not say sizes and hashes of files");
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
      (file.sha256 === undefined || /^[0-9a-f]{64}$/i.test(file.sha256)),
  );
}
