/**
 * The worker from the page's side: asked at every key press, ended and started anew where it
 * gives no sign of life for too long. The page never waits for it.
 */

import type { Fault } from "lacuna-lm/grammar";
import type { Answers, Assets, Finding, FromWorker, Look, Question, ToWorker } from "./protocol.ts";

/** The parts of a worker that are used. */
export type WorkerLike = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

/** What the page is told. */
export interface Listener {
  /** What was found of the newest look. */
  found(finding: Finding): void;
  /** The newest look is through. */
  looked(): void;
  /** The newest look was given up. */
  failed(fault: Fault): void;
}

interface Options {
  readonly start: () => WorkerLike;
  readonly assets: Assets;
  readonly listener: Listener;
  /** Milliseconds without a sign of life. */
  readonly limit: () => number;
}

interface Asked {
  readonly resolve: (answer: Answers[keyof Answers]) => void;
  readonly reject: (fault: Fault) => void;
}

export class Bench {
  readonly #options: Options;
  #worker: WorkerLike | undefined;
  /** Whether nothing is being downloaded. */
  #isReady = false;
  #newest: { readonly turn: number; readonly look: Look } | undefined;
  /** The turn that the worker is at. */
  #begun = 0;
  #done = 0;
  #asked = new Map<number, Asked>();
  #ids = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Looks at something new; what was under way is dropped. */
  look(look: Look): void {
    const turn = (this.#newest?.turn ?? 0) + 1;
    this.#newest = { turn, look };
    this.#post({ kind: "look", turn, look, assets: this.#options.assets });
  }

  /** Asks about the newest look. */
  ask<Kind extends Question["ask"]>(question: Question & { ask: Kind }): Promise<Answers[Kind]> {
    const id = ++this.#ids;
    return new Promise<Answers[Kind]>((resolve, reject) => {
      this.#asked.set(id, { resolve: resolve as Asked["resolve"], reject });
      this.#post({ kind: "ask", id, question });
    });
  }

  #post(message: ToWorker): void {
    if (!this.#worker) {
      this.#worker = this.#options.start();
      this.#isReady = false;
      this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#heard(data);
      this.#worker.onerror = (event) => {
        event.preventDefault();
        const message = event.message || "The playground’s worker could not be started.";
        this.#restart({ kind: "worker", message });
      };
      // A question alone would find no grammar.
      if (message.kind === "ask" && this.#newest) {
        const { assets } = this.#options;
        this.#worker.postMessage({ kind: "look", ...this.#newest, assets });
      }
    }
    this.#worker.postMessage(message);
    this.#watch();
  }

  #heard(message: FromWorker): void {
    const { listener } = this.#options;
    switch (message.kind) {
      case "loading":
      case "ready":
        this.#isReady = message.kind === "ready";
        break;
      case "begun":
        this.#begun = message.turn;
        break;
      case "found":
        // A look that a fresh worker needs for a question was told before.
        if (message.turn === this.#newest?.turn && message.turn !== this.#done)
          listener.found(message.finding);
        break;
      case "looked":
        if (message.turn === this.#newest?.turn && message.turn !== this.#done) listener.looked();
        this.#done = message.turn;
        break;
      case "answer":
        this.#take(message.id)?.resolve(message.answer);
        break;
      case "refusal":
        this.#take(message.id)?.reject(message.fault);
        break;
      case "broken":
        this.#restart(message.fault);
        return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watch();
  }

  #take(id: number): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  /** Waits for a sign of life as long as there is something to wait for. */
  #watch(): void {
    const isBusy = this.#asked.size > 0 || this.#done !== this.#newest?.turn;
    if (!this.#isReady || !isBusy || this.#timer !== undefined) return;
    const limit = this.#options.limit();
    this.#timer = setTimeout(() => {
      const message = `Stopped after ${limit / 1000} s without a result.`;
      this.#restart({ kind: "time-limit", message });
    }, limit);
  }

  #restart(fault: Fault): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#worker?.terminate();
    this.#worker = undefined;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of asked) reject(fault);
    const { turn, look } = this.#newest ?? {};
    if (turn === undefined || look === undefined || this.#done === turn) return;
    if (this.#begun < turn && fault.kind === "time-limit") {
      // It was at something older: the newest has not had its turn yet.
      this.#post({ kind: "look", turn, look, assets: this.#options.assets });
      return;
    }
    this.#done = turn;
    this.#options.listener.failed(fault);
  }
}
