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

/** A worker, and when it hears what it is told. */
interface Running {
  readonly worker: WorkerLike;
  /** Never settles if it does not come to that: whoever waits is told of the worker's death. */
  readonly ready: Promise<void>;
  readonly isReady: () => void;
  /** Ends it if it is not ready in time. */
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Seconds in which a worker has to say that it serves. */
const MOST_SECONDS = 60;

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
  readonly #make: () => WorkerLike;
  readonly #configuration: Configuration;
  readonly #onDeath: (why: LacunaError) => void;
  readonly #pending = new Map<number, Pending>();
  #running: Running | undefined;
  #nextId = 1;
  #closed = false;

  /** `make` makes a worker; `onDeath` is told when one is gone, with all that it held. */
  constructor(
    make: () => WorkerLike,
    configuration: Configuration,
    onDeath: (why: LacunaError) => void,
  ) {
    this.#make = make;
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
    const { worker, ready } = this.#start();
    const id = this.#nextId++;
    let settle = () => {};
    try {
      return await new Promise<FromWorker>((resolve, reject) => {
        this.#pending.set(id, { note, resolve, reject });
        let sent = false;
        const giveUp = () => {
          if (!this.#pending.delete(id)) return;
          if (sent) worker.postMessage({ type: "cancel", id });
          reject(cancelled(signal));
        };
        signal?.addEventListener("abort", giveUp, { once: true });
        settle = () => signal?.removeEventListener("abort", giveUp);
        const send = () => {
          if (!this.#pending.has(id)) return;
          worker.postMessage({ ...call, id } as ToWorker);
          sent = true;
        };
        ready.then(send).catch(reject);
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

  #start(): Running {
    if (this.#running) return this.#running;
    const worker = this.#make();
    const isCurrent = () => worker === this.#running?.worker;
    const ended = (message: string) => {
      if (isCurrent()) this.#die({ kind: FAULT.worker, message });
    };
    worker.onmessage = ({ data }) => {
      if (isCurrent()) this.#receive(data);
    };
    worker.onerror = (event) => {
      event.preventDefault?.();
      ended(`The engine's worker ended: ${event.message || "it could not be started"}.`);
    };
    worker.onmessageerror = () => ended("The engine's worker sent something unreadable.");
    const timer = setTimeout(
      () => ended(`The engine's worker did not call serve() within ${MOST_SECONDS} seconds.`),
      MOST_SECONDS * 1000,
    );
    let isReady = () => {};
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    this.#running = { worker, ready, isReady, timer };
    return this.#running;
  }

  #receive(message: FromWorker): void {
    if (message.type === "ready") {
      clearTimeout(this.#running?.timer);
      this.#running?.worker.postMessage({ type: "configure", ...this.#configuration });
      this.#running?.isReady();
      return;
    }
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
    clearTimeout(this.#running?.timer);
    this.#running?.worker.terminate();
    this.#running = undefined;
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
