/** Models: where they come from and where they run. */

import { resolveUrl } from "./base-url.ts";
import { FAULT, LacunaError } from "./fault.ts";

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

/** The files of a model. A folder without `model.json` says nothing of its files. */
export async function modelFiles(source: ModelSource, signal?: AbortSignal): Promise<ModelFiles> {
  if (typeof source !== "string" && !(source instanceof URL)) {
    if (Object.keys(NAMES).every((part) => source?.[part as keyof ModelFiles]?.url)) return source;
    const message = "A model is the address of its folder, or { config, tokenizer, weights }.";
    throw new LacunaError({ kind: FAULT.invalid, message });
  }
  const given = addressOf(source);
  const folder = given.endsWith("/") ? given : `${given}/`;
  const record = await readRecord(new URL("model.json", folder), signal);
  return eachFile(NAMES, (name) => ({
    url: new URL(name, folder).href,
    ...record.files?.[name],
  }));
}

function addressOf(folder: string | URL): string {
  try {
    return resolveUrl(folder).href;
  } catch (error) {
    const message = `The model's address ${JSON.stringify(folder)} is no URL.`;
    throw new LacunaError({ kind: FAULT.invalid, message }, { cause: error });
  }
}

async function readRecord(url: URL, signal?: AbortSignal): Promise<ModelRecord> {
  try {
    const response = await fetch(url, signal ? { signal } : {});
    return response.ok ? ((await response.json()) as ModelRecord) : {};
  } catch {
    // Whoever cannot be reached will be named when the files are fetched.
    return {};
  }
}
