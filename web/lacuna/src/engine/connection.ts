/** The engine's worker as the page sees it: calls that return promises. */

import { cancelled, FAULT, type Fault, LacunaError, throwIfAborted } from "../fault.ts";
import type { Configuration, FromWorker, ToWorker } from "../worker/protocol.ts";

/** The part of a `Worker` that is used here. */
export interface WorkerLike {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

/** A call, without the number that it is given. */
export type Call = DistributiveOmit<Extract<ToWorker, { readonly id: number }>, "id">;

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown
  ? Omit<Union, Key>
  : never;

/** What goes with a call. */
export interface CallOptions {
  /** Takes what is said before the last word. */
  readonly note?: (message: FromWorker) => void;
  readonly signal?: AbortSignal | undefined;
}

interface Pending {
  note(message: FromWorker): void;
  resolve(message: FromWorker): void;
  reject(error: LacunaError): void;
}

/**
 * A worker with an engine in it, started when it is first called.
 *
 * Every promise settles: if the worker dies, all open calls fail with its fault, and the
 * next call starts a fresh one. A call whose signal is aborted fails at once; the worker
 * leaves it as soon as it can.
 */
export class Connection {
  readonly #start: () => WorkerLike;
  readonly #configuration: Configuration;
  readonly #onDeath: (why: LacunaError) => void;
  readonly #pending = new Map<number, Pending>();
  #worker: WorkerLike | undefined;
  #nextId = 1;
  #closed = false;

  /** `start` makes a worker; `onDeath` is told when one is gone, with all that it held. */
  constructor(
    start: () => WorkerLike,
    configuration: Configuration,
    onDeath: (why: LacunaError) => void,
  ) {
    this.#start = start;
    this.#configuration = configuration;
    this.#onDeath = onDeath;
  }

  /** Throws if it was closed. */
  expectOpen(): void {
    if (this.#closed) throw new LacunaError(CLOSED);
  }

  /** Makes a call; resolves with its last word. */
  async call(call: Call, { note = () => {}, signal }: CallOptions = {}): Promise<FromWorker> {
    throwIfAborted(signal);
    this.expectOpen();
    const worker = this.#running();
    const id = this.#nextId++;
    let settle = () => {};
    try {
      return await new Promise<FromWorker>((resolve, reject) => {
        this.#pending.set(id, { note, resolve, reject });
        const giveUp = () => {
          if (!this.#pending.delete(id)) return;
          worker.postMessage({ type: "cancel", id });
          reject(cancelled(signal));
        };
        signal?.addEventListener("abort", giveUp, { once: true });
        settle = () => signal?.removeEventListener("abort", giveUp);
        worker.postMessage({ ...call, id } as ToWorker);
      });
    } finally {
      settle();
      // What cannot be sent is never answered.
      this.#pending.delete(id);
    }
  }

  /** Ends the worker for good; what is open fails. */
  close(): void {
    this.#closed = true;
    this.#die(CLOSED);
  }

  #running(): WorkerLike {
    if (this.#worker) return this.#worker;
    const worker = this.#start();
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      if (worker === this.#worker) this.#receive(data);
    };
    worker.onerror = (event) => {
      event.preventDefault?.();
      const message = `The engine's worker ended: ${event.message || "it could not be started"}.`;
      if (worker === this.#worker) this.#die({ kind: FAULT.worker, message });
    };
    worker.onmessageerror = () => {
      const message = "The engine's worker sent something unreadable.";
      if (worker === this.#worker) this.#die({ kind: FAULT.worker, message });
    };
    worker.postMessage({ type: "configure", ...this.#configuration });
    return worker;
  }

  #receive(message: FromWorker): void {
    const pending = this.#pending.get(message.id);
    if (!pending) {
      // Nobody waits any more, but the engine may be beyond use all the same.
      if (message.type === "failed" && message.fatal) this.#die(message.fault);
      return;
    }
    if (message.type === "progress" || message.type === "events") {
      pending.note(message);
      return;
    }
    this.#pending.delete(message.id);
    if (message.type === "cancelled") pending.reject(cancelled());
    else if (message.type === "failed") pending.reject(new LacunaError(message.fault));
    else pending.resolve(message);
    if (message.type === "failed" && message.fatal) this.#die(message.fault);
  }

  #die(fault: Fault): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const open = [...this.#pending.values()];
    this.#pending.clear();
    this.#onDeath(new LacunaError(fault));
    for (const { reject } of open) reject(new LacunaError(fault));
  }
}

const CLOSED: Fault = { kind: FAULT.disposed, message: "The engine was disposed of." };

/** The answer, known to be of the type that its call gets. */
export function expectAnswer<Type extends FromWorker["type"]>(
  message: FromWorker,
  type: Type,
): Extract<FromWorker, { type: Type }> {
  if (message.type === type) return message as Extract<FromWorker, { type: Type }>;
  throw new LacunaError({
    kind: FAULT.internal,
    message: `The worker answered ${message.type}, not ${type}.`,
  });
}
