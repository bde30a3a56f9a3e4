/** The engine as the page sees it: calls that return promises. */

import type {
  DevicePreference,
  EngineEvent,
  Fault,
  GenerateRequest,
  GrammarInfo,
  GrammarSource,
  ModelInfo,
} from "../engine.ts";
import { EngineError, FAULT } from "./fault.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

/** The part of a `Worker` that the client uses. */
export interface WorkerLike {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** Told the bytes so far, and of how many (`null` where the server does not say). */
export type OnProgress = (loaded: number, total: number | null) => void;

/** A run's events as they come; can be iterated once. */
export interface Generation extends AsyncIterable<readonly EngineEvent[]> {
  /**
   * All events once the run is over. Rejects with an {@link EngineError}, as
   * iterating does; of the kind `cancelled` if the signal was aborted.
   */
  readonly result: Promise<readonly EngineEvent[]>;
}

/** A call that waits for its last word. */
interface Pending {
  note(message: FromWorker): void;
  resolve(message: FromWorker): void;
  reject(error: EngineError): void;
}

/**
 * A worker with an engine in it.
 *
 * Every promise settles: if the worker dies, all open calls fail with its
 * fault, and so do later ones until {@link EngineClient.restart}.
 */
export class EngineClient {
  readonly #start: () => WorkerLike;
  readonly #pending = new Map<number, Pending>();
  #worker: WorkerLike;
  #nextId = 1;
  #death: Fault | undefined;

  /** `start` makes the worker; it is called again by {@link EngineClient.restart}. */
  constructor(start: () => WorkerLike) {
    this.#start = start;
    this.#worker = this.#launch();
  }

  /** Why the worker can take no calls, if it cannot. */
  get death(): Fault | undefined {
    return this.#death;
  }

  /** Fetches a model, makes an engine of it and puts it on a device. */
  async load(
    folder: string,
    onProgress: OnProgress = () => {},
    device: DevicePreference = "auto",
  ): Promise<ModelInfo> {
    const message = await this.#call({ type: "load", id: this.#id(), folder, device }, (note) => {
      if (note.type === "progress") onProgress(note.loaded, note.total);
    });
    return expect(message, "loaded").info;
  }

  /** Compiles a grammar; rejects with its diagnostics if it is wrong. */
  async compile(
    grammar: GrammarSource,
    texts: Readonly<Record<string, string>> = {},
  ): Promise<GrammarInfo> {
    const message = await this.#call({ type: "compile", id: this.#id(), grammar, texts });
    return expect(message, "compiled").info;
  }

  /** Writes a text. Calls are served in order; `signal` gives one up within a step. */
  generate(request: GenerateRequest, { signal }: { signal?: AbortSignal } = {}): Generation {
    const id = this.#id();
    const queue = new EventQueue();
    if (signal?.aborted) {
      queue.fail(cancelled());
      return queue;
    }
    const cancel = () => {
      if (!this.#death) this.#worker.postMessage({ type: "cancel", id });
    };
    signal?.addEventListener("abort", cancel, { once: true });
    this.#call({ type: "generate", id, request }, (note) => {
      if (note.type === "events") queue.push(note.events);
    })
      .then(
        () => queue.finish(),
        (error: EngineError) => queue.fail(error),
      )
      .finally(() => signal?.removeEventListener("abort", cancel));
    return queue;
  }

  /** Ends the worker, failing what is open, and starts a fresh one without a model. */
  restart(): void {
    this.#die({ kind: FAULT.worker, message: "The engine was restarted." });
    this.#death = undefined;
    this.#worker = this.#launch();
  }

  /** Ends the worker for good; what is open fails. */
  close(): void {
    this.#die({ kind: FAULT.worker, message: "The engine was closed." });
  }

  #id(): number {
    return this.#nextId++;
  }

  #launch(): WorkerLike {
    const worker = this.#start();
    worker.onmessage = ({ data }) => {
      if (worker === this.#worker) this.#receive(data);
    };
    worker.onerror = (event) => {
      const message = `The engine's worker ended: ${event.message || "it could not be started"}.`;
      if (worker === this.#worker) this.#die({ kind: FAULT.worker, message });
    };
    worker.onmessageerror = () => {
      const message = "The engine's worker sent something unreadable.";
      if (worker === this.#worker) this.#die({ kind: FAULT.worker, message });
    };
    return worker;
  }

  #call(
    message: Exclude<ToWorker, { type: "cancel" }>,
    note: Pending["note"] = () => {},
  ): Promise<FromWorker> {
    if (this.#death) return Promise.reject(new EngineError(this.#death));
    return new Promise((resolve, reject) => {
      this.#pending.set(message.id, { note, resolve, reject });
      this.#worker.postMessage(message);
    });
  }

  #receive(message: FromWorker): void {
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    if (message.type === "progress" || message.type === "events") {
      pending.note(message);
      return;
    }
    this.#pending.delete(message.id);
    if (message.type === "cancelled") pending.reject(cancelled());
    else if (message.type === "failed") pending.reject(new EngineError(message.fault));
    else pending.resolve(message);
    if (message.type === "failed" && message.fatal) this.#die(message.fault);
  }

  #die(fault: Fault): void {
    this.#death = fault;
    this.#worker.terminate();
    const open = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of open) reject(new EngineError(fault));
  }
}

const cancelled = () =>
  new EngineError({ kind: FAULT.cancelled, message: "The run was cancelled." });

/** The answer, known to be of the type that its call gets. */
function expect<T extends FromWorker["type"]>(
  message: FromWorker,
  type: T,
): Extract<FromWorker, { type: T }> {
  if (message.type === type) return message as Extract<FromWorker, { type: T }>;
  throw new EngineError({
    kind: FAULT.internal,
    message: `The worker answered ${message.type}, not ${type}.`,
  });
}

/** Events between the worker, which never waits, and whoever reads them. */
class EventQueue implements Generation {
  readonly result: Promise<readonly EngineEvent[]>;
  readonly #all: EngineEvent[] = [];
  #unread: (readonly EngineEvent[])[] = [];
  #over = false;
  #wake: () => void = () => {};
  #settle!: { resolve(events: readonly EngineEvent[]): void; reject(error: EngineError): void };

  constructor() {
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Whoever only iterates learns of the failure there.
    this.result.catch(() => {});
  }

  push(events: readonly EngineEvent[]): void {
    this.#all.push(...events);
    this.#unread.push(events);
    this.#wake();
  }

  finish(): void {
    this.#over = true;
    this.#settle.resolve(this.#all);
    this.#wake();
  }

  fail(error: EngineError): void {
    this.#over = true;
    this.#settle.reject(error);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly EngineEvent[]> {
    for (;;) {
      const unread = this.#unread;
      this.#unread = [];
      yield* unread;
      if (this.#unread.length > 0) continue;
      if (this.#over) break;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    await this.result;
  }
}
