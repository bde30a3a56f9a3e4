/**
 * The worker's loop, apart from the worker: what is done for each message of
 * the {@link protocol}, with the engine and the channel handed in.
 */

import type { EngineEvent } from "../events.ts";
import { describeThrown, FAULT, LacunaError, throwIfAborted } from "../fault.ts";
import type { GrammarInfo } from "../grammar/source.ts";
import type { DevicePreference, FoundFiles, ModelInfo, Progress } from "../model.ts";
import type { Texts } from "./download.ts";
import type {
  CompileCall,
  Configuration,
  GenerateCall,
  GenerateRequest,
  LoadCall,
  OfCall,
  Template,
  ToWorker,
} from "./protocol.ts";

/** A run of the engine: a step a call. */
export interface EngineRun {
  step(): Promise<EngineEvent[]>;
  readonly done: boolean;
  free(): void;
}

/** Called now and then within a step; resolves with whether the run is to go on. */
export type Turn = () => Promise<boolean>;

/** A loaded engine, as the module has it. */
export interface LoadedEngine {
  info(): ModelInfo;
  /** The name of the request's compiled grammar. */
  grammarKey(request: GenerateRequest): string;
  start(request: GenerateRequest, turn: Turn): EngineRun;
  startInfill(request: GenerateRequest, template: Template, turn: Turn): Promise<EngineRun>;
  free(): void;
}

/** A loaded engine that may look something up before it starts a run. */
export interface ServedEngine extends Pick<LoadedEngine, "info" | "free"> {
  start(request: GenerateRequest, template: Template | undefined, turn: Turn): Promise<EngineRun>;
}

/** A model that was fetched, its weights as the module has taken them. */
export interface FetchedModel extends Texts {
  readonly weights: { free(): void };
}

/** What the loop needs from outside. */
export interface Surroundings {
  /** Learns where the engine's module is. */
  configure(configuration: Configuration): void;
  /** Fetches a model's files. */
  fetchModel(
    files: FoundFiles,
    onProgress: (progress: Progress) => void,
    signal: AbortSignal,
  ): Promise<FetchedModel>;
  /**
   * Makes an engine of them, and keeps the weights; throws a fault if they do not fit, or the
   * device cannot be had.
   */
  loadEngine(model: FetchedModel, device: DevicePreference): Promise<ServedEngine>;
  /** Compiles a grammar, unless that was given up before; throws a fault with diagnostics. */
  compile(call: CompileCall, signal: AbortSignal): Promise<GrammarInfo>;
  /** Sends to the page. */
  post(message: OfCall): void;
  /** Resolves when messages that have come were read. */
  yieldToMessages(): Promise<void>;
}

/** A text that is written. */
interface Writing {
  /** Steps so far. */
  readonly taken: number;
  /** Takes the next step; says whether there are more. */
  step(): Promise<boolean>;
}

/** Work that no text may be under way for. */
interface TurnAlone {
  readonly type: "alone";
  take(): Promise<void>;
}

/**
 * Answers the page's messages. Texts, and models that take the place of others, wait in one
 * queue: while a text is under way its model stays. Loads are done one after another, and so
 * are grammars compiled.
 */
export class EngineServer {
  readonly #surroundings: Surroundings;
  readonly #waiting: (GenerateCall | TurnAlone)[] = [];
  readonly #loads = new Map<number, AbortController>();
  readonly #compiles = new Map<number, AbortController>();
  /** Settles when the loads so far are done. */
  #loaded: Promise<void> = Promise.resolve();
  /** Settles when the grammars so far are compiled. */
  #compiled: Promise<void> = Promise.resolve();
  /** Texts under way; of each, whether it was cancelled. */
  readonly #open = new Map<number, { cancelled: boolean }>();
  #engine: ServedEngine | undefined;
  #busy = false;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Takes one message. */
  receive(message: ToWorker): void {
    switch (message.type) {
      case "configure":
        this.#surroundings.configure(message);
        break;
      case "load":
        this.#loaded = this.#load(message);
        break;
      case "compile":
        this.#compiled = this.#compile(message);
        break;
      case "generate":
        this.#waiting.push(message);
        void this.#drain();
        break;
      case "cancel":
        this.#cancel(message.id);
        break;
    }
  }

  /**
   * Told of what was thrown where no call could catch it: a module that traps in a future
   * leaves its promise open for ever. A trap is everybody's fault; all else is not ours.
   */
  broke(thrown: unknown): boolean {
    const { fault, fatal } = describeThrown(thrown);
    if (!fatal) return false;
    const [id = 0] = [...this.#open.keys(), ...this.#loads.keys(), ...this.#compiles.keys()];
    this.#surroundings.post({ type: "failed", id, fault, fatal });
    return true;
  }

  async #load({ id, files, device }: LoadCall): Promise<void> {
    const abort = new AbortController();
    this.#loads.set(id, abort);
    const before = this.#loaded;
    await this.#answer(id, async () => {
      await before;
      const note = (progress: Progress) =>
        this.#surroundings.post({ type: "progress", id, ...progress });
      const fetched = await this.#surroundings.fetchModel(files, note, abort.signal);
      return this.#alone(() => this.#replace(id, fetched, device, abort.signal));
    });
    this.#loads.delete(id);
  }

  /** Puts another model in the place of the one that is there. */
  async #replace(
    id: number,
    model: FetchedModel,
    device: DevicePreference,
    signal: AbortSignal,
  ): Promise<OfCall> {
    if (signal.aborted) {
      model.weights.free();
      return { type: "cancelled", id };
    }
    // Before the next one is made: a card may have room for one model only.
    const replaced = this.#engine;
    this.#engine = undefined;
    replaced?.free();
    const engine = await this.#surroundings.loadEngine(model, device);
    if (signal.aborted) {
      engine.free();
      return { type: "cancelled", id };
    }
    this.#engine = engine;
    return { type: "loaded", id, info: engine.info() };
  }

  async #compile(call: CompileCall): Promise<void> {
    const { id } = call;
    const abort = new AbortController();
    this.#compiles.set(id, abort);
    const before = this.#compiled;
    await this.#answer(id, async () => {
      await before;
      // What came while the one before was compiled may give this one up.
      await this.#surroundings.yieldToMessages();
      throwIfAborted(abort.signal);
      const info = await this.#surroundings.compile(call, abort.signal);
      return { type: "compiled", id, info };
    });
    this.#compiles.delete(id);
  }

  /** Does work when the texts are written that wait already. */
  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ type: "alone", take: () => work().then(resolve, reject) });
      void this.#drain();
    });
  }

  #cancel(id: number): void {
    this.#loads.get(id)?.abort();
    this.#compiles.get(id)?.abort();
    const open = this.#open.get(id);
    if (open) open.cancelled = true;
    const at = this.#waiting.findIndex((call) => call.type === "generate" && call.id === id);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#surroundings.post({ type: "cancelled", id });
  }

  async #drain(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let call = this.#waiting.shift(); call; call = this.#waiting.shift()) {
      await (call.type === "alone" ? call.take() : this.#serve(call));
    }
    this.#busy = false;
  }

  /**
   * Writes a text, and those that take turns with it, a step of each after another: whoever
   * came later catches up first, so that none is more than a step ahead.
   */
  async #serve(first: GenerateCall): Promise<void> {
    let round = [this.#writing(first)];
    while (round.length > 0) {
      if (first.turns !== undefined) {
        for (const call of this.#joining(first.turns)) {
          this.#waiting.splice(this.#waiting.indexOf(call), 1);
          round.push(this.#writing(call));
        }
      }
      const least = Math.min(...round.map(({ taken }) => taken));
      const going = [];
      for (const writing of round) {
        if (writing.taken > least || (await writing.step())) going.push(writing);
      }
      round = going;
    }
  }

  /** The calls of a name that wait for the model that is there. */
  #joining(turns: string): GenerateCall[] {
    const joining = [];
    for (const call of this.#waiting) {
      if (call.type === "alone") break;
      if (call.turns === turns) joining.push(call);
    }
    return joining;
  }

  /** A call under way. */
  #writing(call: GenerateCall): Writing {
    const { id } = call;
    this.#open.set(id, { cancelled: false });
    const steps = this.#generate(call);
    const writing = {
      taken: 0,
      step: async () => {
        let more = false;
        await this.#answer(id, async () => {
          const { done, value } = await steps.next();
          more = !done;
          return done ? value : undefined;
        });
        writing.taken += 1;
        if (!more) this.#open.delete(id);
        return more;
      },
    };
    return writing;
  }

  async *#generate({ id, request, template }: GenerateCall): AsyncGenerator<void, OfCall> {
    const { post, yieldToMessages } = this.#surroundings;
    const cancelled = () => this.#open.get(id)?.cancelled ?? true;
    const engine = this.#engine;
    if (!engine) throw new LacunaError({ kind: "not-loaded", message: "No model is loaded yet." });
    const turn = async () => {
      await yieldToMessages();
      return !cancelled();
    };
    // What came while the call before was started may give this one up.
    if (!(await turn())) return { type: "cancelled", id };
    const run = await engine.start(request, template, turn);
    let broken = false;
    try {
      while (!run.done && !cancelled()) {
        const events = await run.step();
        const moved = events.some(({ type }) => type === "move");
        post({ type: "events", id, events, ...(moved ? { info: engine.info() } : {}) });
        await yieldToMessages();
        yield;
      }
    } catch (error) {
      broken = describeThrown(error).fatal;
      throw error;
    } finally {
      // After a trap the module must not be entered again.
      if (!broken) run.free();
    }
    return cancelled() ? { type: "cancelled", id } : { type: "finished", id };
  }

  /** Gives a call its last word, whatever happens; none if the work says that more is to come. */
  async #answer(id: number, work: () => Promise<OfCall | undefined>): Promise<void> {
    try {
      const word = await work();
      if (word) this.#surroundings.post(word);
    } catch (error) {
      const { fault, fatal } = describeThrown(error);
      if (fault.kind === FAULT.cancelled) this.#surroundings.post({ type: "cancelled", id });
      else this.#surroundings.post({ type: "failed", id, fault, fatal });
    }
  }
}
