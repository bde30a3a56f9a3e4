/** Fetching the model's files, with their progress. */

import { EngineError, FAULT } from "./fault.ts";

/** The files of a model, by what the engine calls them. */
export interface ModelFiles {
  readonly config: Uint8Array;
  readonly tokenizer: Uint8Array;
  readonly weights: Uint8Array;
}

/** Told the bytes so far, and of how many (`null` where the server does not say). */
export type OnProgress = (loaded: number, total: number | null) => void;

const NAMES = ["config.json", "tokenizer.json", "model.safetensors"] as const;

/** Fetches a model's three files from a folder, side by side. */
export async function fetchModel(folder: string, onProgress: OnProgress): Promise<ModelFiles> {
  const bodies = await Promise.all(NAMES.map((name) => open(new URL(name, folder).href)));
  const sizes = bodies.map(({ size }) => size);
  const total = sizes.includes(null)
    ? null
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  let loaded = 0;
  const [config, tokenizer, weights] = await Promise.all(
    bodies.map((body) =>
      read(body, (bytes) => {
        loaded += bytes;
        onProgress(loaded, total);
      }),
    ),
  );
  if (!config || !tokenizer || !weights) throw new Error("a model has three files");
  return { config, tokenizer, weights };
}

interface Body {
  readonly address: string;
  readonly stream: ReadableStream<Uint8Array>;
  readonly size: number | null;
}

async function open(address: string): Promise<Body> {
  const response = await fetch(address).catch((error: unknown) => {
    throw unreachable(address, error);
  });
  if (!response.ok || !response.body) {
    const message = `The model's file ${fileName(address)} could not be fetched: the server answered ${response.status}.`;
    throw new EngineError({ kind: FAULT.network, message });
  }
  // A length is of what travels; it says nothing of the bytes if they were packed.
  const length = response.headers.get("content-encoding")
    ? null
    : response.headers.get("content-length");
  return { address, stream: response.body, size: length === null ? null : Number(length) };
}

async function read(body: Body, onBytes: (count: number) => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const reader = body.stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      chunks.push(next.value);
      onBytes(next.value.length);
    }
  } catch (error) {
    throw unreachable(body.address, error);
  }
  return concatenate(chunks);
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function unreachable(address: string, error: unknown): EngineError {
  const cause = error instanceof Error ? error.message : String(error);
  const message = `The model's file ${fileName(address)} could not be fetched: ${cause}.`;
  return new EngineError({ kind: FAULT.network, message });
}

const fileName = (address: string): string => address.slice(address.lastIndexOf("/") + 1);
