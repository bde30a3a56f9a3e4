/** The engine: a model in a worker, and texts that it writes within grammars. */

import { abortable } from "../abortable.ts";
import { resolveUrl } from "../base-url.ts";
import { browserCaches } from "../browser-caches.ts";
import { type ComparedMethod, type DecodingOptions, readDecoding } from "../decoding.ts";
import { invalid, throwIfAborted } from "../fault.ts";
import {
  type GrammarInput,
  type GrammarOptions,
  type ReadGrammar,
  readGrammar,
  type ValueOf,
} from "../grammar/source.ts";
import { type Validation, validation } from "../grammar/validation.ts";
import { type DevicePreference, type ModelInfo, type ModelSource, modelFiles } from "../model.ts";
import { expectOptions, flag } from "../options.ts";
import { ModelStore } from "../worker/model-store.ts";
import type { Configuration, FromWorker, GenerateRequest, Template } from "../worker/protocol.ts";
import {
  ASK,
  BESIDE,
  ENGINE,
  expectGenerate,
  expectInfill,
  LOAD,
  VALIDATE,
} from "./call-options.ts";
import { Connection, expectAnswer, type WorkerLike } from "./connection.ts";
import { EventQueue, type Generation } from "./generation.ts";
import { Loading, type OnProgress, tell } from "./loading.ts";
import { expectWorkers, startWorker } from "./start-worker.ts";
import { readValue } from "./value.ts";

/** What an engine is made of. */
export interface EngineOptions {
  /** The model: a folder, or its files. */
  readonly model: ModelSource;
  /** Where it shall run; `auto` takes the graphics card if it is right and not slower. */
  readonly device?: DevicePreference;
  /** Told the bytes of every load. */
  readonly onProgress?: OnProgress;
  /** The address of `lacuna-lm/worker`'s starting file, where the bundler does not see to it. */
  readonly workerUrl?: string | URL;
  /** Starts a worker that calls `serve` of `lacuna-lm/worker`, within a minute. */
  readonly worker?: () => Worker;
  /** The address of `lacuna-lm/engine.wasm`, where the bundler does not see to it. */
  readonly wasmUrl?: string | URL;
  /** `false` leaves threads aside where a page could have them. */
  readonly threads?: boolean;
}

/** How a model is loaded. */
export interface LoadOptions {
  /** Another device than the engine's. */
  readonly device?: DevicePreference;
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

/** A text to be written. */
export interface GenerateOptions<Grammar extends GrammarInput = GrammarInput>
  extends Omit<GrammarOptions, "writing">,
    DecodingOptions {
  /** What is asked for. In a grammar, it is the text `request`. */
  readonly prompt: string;
  /** The prompt's task line; taken from the schema if left out. */
  readonly task?: string;
  readonly grammar: Grammar;
  /** Cells of the canvas: at most so many tokens are written. 64 by default. */
  readonly length?: number;
  /** Denoising steps: more take longer and write better. 16 by default. */
  readonly steps?: number;
  /** Noise is drawn from it; the same seed writes the same text. 0 by default. */
  readonly seed?: number;
  /** Leaves the grammar aside: the method `unconstrained`. */
  readonly unconstrained?: boolean;
  /**
   * Texts with the same name here that are under way together take turns, a step each,
   * instead of one waiting for the other: to show methods side by side. Whoever comes later
   * catches up first.
   */
  readonly turns?: string;
  readonly signal?: AbortSignal;
}

/** A text to be completed. */
export interface InfillOptions<Grammar extends GrammarInput = GrammarInput>
  extends Omit<GenerateOptions<Grammar>, "length"> {
  /**
   * Texts that stay, and gaps: a number of cells, or the least and the most of them, of
   * which the model's favourite is taken.
   */
  readonly template: Template;
}

/** Options of a text that is written for comparison: there is no value. */
type ForComparison = { readonly unconstrained: true } | { readonly method: ComparedMethod };

/** Options of a text within its grammar, which stands for a value. */
type WithValue = { readonly unconstrained?: false; readonly method?: "lacuna" };

/** What has to happen before an engine can write. */
export type Availability =
  /** This browser lacks something that the engine needs. */
  | "unavailable"
  /** The model has to be fetched. */
  | "downloadable"
  /** It is being fetched, or put on a device. */
  | "downloading"
  /** It is in memory, or in the browser's storage. */
  | "available";

/**
 * An engine. Making one is cheap: its worker starts, and its model is loaded, when that
 * is first needed. Calls are served in order. If the worker dies, what is open fails and
 * the next call starts afresh.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #connection: Connection;
  /** Throws where there can be no worker. */
  readonly #expectWorkers: () => void;
  #loading: { readonly load: Loading; readonly device: DevicePreference } | undefined;
  /** Where the model is to run: as was asked last. */
  #device: DevicePreference;
  #model: ModelInfo | undefined;
  /** Whether the model has left the device that it was loaded on. */
  #hasMoved = false;

  /** @internal Made by `createEngine`. */
  constructor(options: EngineOptions, start?: () => WorkerLike) {
    expectOptions("createEngine", options, ENGINE, ["model"]);
    this.#options = options;
    this.#expectWorkers = start ? () => {} : () => expectWorkers(options);
    this.#device = options.device ?? "auto";
    const make = start ?? (() => startWorker(options));
    this.#connection = new Connection(make, configurationOf(options), (why) => {
      const open = this.#loading;
      this.#loading = undefined;
      this.#model = undefined;
      open?.load.end(why);
    });
  }

  /** The model's facts, once it is loaded; its device is where it runs now. */
  get model(): ModelInfo | undefined {
    return this.#model;
  }

  /** What has to happen before the first text can be written. */
  async availability(options: { readonly signal?: AbortSignal } = {}): Promise<Availability> {
    expectOptions("availability", options, ASK);
    const { signal } = options;
    throwIfAborted(signal);
    this.#connection.expectOpen();
    if (this.#model) return "available";
    if (this.#loading) return "downloading";
    if (typeof WebAssembly === "undefined" || !this.#mayHaveWorkers()) return "unavailable";
    const files = await abortable(modelFiles(this.#options.model, signal), signal);
    const store = new ModelStore(browserCaches());
    const kept = [files.config, files.tokenizer, ...files.weights].map(({ sha256, bytes }) =>
      sha256 && bytes !== undefined ? store.holds(sha256, bytes) : false,
    );
    const isKept = (await Promise.all(kept)).every(Boolean);
    this.#connection.expectOpen();
    return isKept ? "available" : "downloadable";
  }

  #mayHaveWorkers(): boolean {
    try {
      this.#expectWorkers();
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Loads the model now; calls that need it wait for it. On another device, anew, and on one
   * that is named where the model has left its own.
   */
  async load(options: LoadOptions = {}): Promise<ModelInfo> {
    expectOptions("load", options, LOAD);
    const { device, onProgress, signal } = options;
    throwIfAborted(signal);
    this.#connection.expectOpen();
    this.#expectWorkers();
    const wanted = device ?? this.#device;
    const current = this.#loading;
    const isThere = current?.device === wanted && !(this.#hasMoved && device !== undefined);
    const load = isThere && !current.load.givenUp ? current.load : this.#startLoading(wanted);
    const info = await load.join(signal, onProgress);
    return (this.#loading?.load === load && this.#model) || info;
  }

  #startLoading(device: DevicePreference): Loading {
    this.#model = undefined;
    this.#hasMoved = false;
    const before = this.#device;
    this.#device = device;
    const load = new Loading(async (onProgress, signal) => {
      const files = await abortable(modelFiles(this.#options.model, signal), signal);
      const note = (message: FromWorker) => {
        if (message.type !== "progress") return;
        const { loaded, total } = message;
        onProgress({ loaded, total });
        const { onProgress: told } = this.#options;
        if (told) tell(told, { loaded, total });
      };
      const answer = await this.#connection.call({ type: "load", files, device }, { note, signal });
      const { info } = expectAnswer(answer, "loaded");
      if (this.#loading?.load === load) this.#model = info;
      return info;
    });
    this.#loading = { load, device };
    load.onFailure(() => {
      if (this.#loading?.load !== load) return;
      this.#loading = undefined;
      this.#device = before;
    });
    return load;
  }

  /** Writes a text. */
  generate<const Grammar extends GrammarInput>(
    options: GenerateOptions<Grammar> & ForComparison,
  ): Generation<undefined>;
  generate<const Grammar extends GrammarInput>(
    options: GenerateOptions<Grammar> & WithValue,
  ): Generation<ValueOf<Grammar>>;
  generate<const Grammar extends GrammarInput>(
    options: GenerateOptions<Grammar>,
  ): Generation<ValueOf<Grammar> | undefined>;
  generate(options: GenerateOptions): Generation<unknown> {
    return this.#write(() => {
      expectGenerate(options);
      return options;
    });
  }

  /** Fills the gaps of a template, so that all of its text belongs to the grammar. */
  infill<const Grammar extends GrammarInput>(
    options: InfillOptions<Grammar> & ForComparison,
  ): Generation<undefined>;
  infill<const Grammar extends GrammarInput>(
    options: InfillOptions<Grammar> & WithValue,
  ): Generation<ValueOf<Grammar>>;
  infill<const Grammar extends GrammarInput>(
    options: InfillOptions<Grammar>,
  ): Generation<ValueOf<Grammar> | undefined>;
  infill(options: InfillOptions): Generation<unknown> {
    return this.#write(() => {
      expectInfill(options);
      return options;
    });
  }

  /** Writes what `call` says, which throws where that makes no sense. */
  #write(call: () => GenerateOptions | InfillOptions): Generation<unknown> {
    let read: ReadGrammar | undefined;
    let compared = false;
    return new EventQueue(
      async (push) => {
        const options = call();
        const { signal, turns } = options;
        const template = "template" in options ? options.template : undefined;
        read = givenGrammar(options.grammar);
        const request = requestOf(options, read);
        compared = (request.decoding.method ?? "lacuna") !== "lacuna";
        await this.load(signal ? { signal } : {});
        const note = (message: FromWorker) => {
          if (message.type !== "events") return;
          if (message.info) this.#moved(message.info);
          push(message.events);
        };
        const answer = await this.#connection.call(
          { type: "generate", ...asData({ request, ...withoutGaps({ template, turns }) }) },
          { note, signal },
        );
        expectAnswer(answer, "finished");
      },
      async (text) => (compared || !read ? undefined : readValue(read, text)),
    );
  }

  /** Takes note of where the model runs that was to run elsewhere. */
  #moved(info: ModelInfo): void {
    if (!this.#model) return;
    this.#model = info;
    this.#hasMoved = true;
  }

  /**
   * What is wrong with a grammar, as it is compiled for writing; needs no model. Rejects only
   * if that cannot be found out, as where an option makes no sense.
   */
  validate(
    grammar: GrammarInput,
    options: Omit<GrammarOptions, "writing"> & { signal?: AbortSignal } = {},
  ): Promise<Validation> {
    return validation(async () => {
      expectOptions("validate", options, VALIDATE);
      const { signal, ...beside } = options;
      const read = givenGrammar(grammar);
      const answer = await this.#connection.call(
        {
          type: "compile",
          ...asData({
            grammar: read.source,
            options: { ...read.options, ...withoutGaps(beside) },
          }),
        },
        { signal },
      );
      return expectAnswer(answer, "compiled").info;
    });
  }

  /** Ends the engine; what is open fails, and so do later calls. */
  dispose(): void {
    this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dispose();
  }
}

function configurationOf({ wasmUrl, threads }: EngineOptions): Configuration {
  return {
    ...(wasmUrl === undefined ? {} : { wasmUrl: resolveUrl(wasmUrl).href }),
    ...(threads === undefined ? {} : { threads }),
  };
}

/** A grammar with its text; one that says it was compiled may be anything. */
function givenGrammar(grammar: GrammarInput): ReadGrammar {
  const read: ReadGrammar = readGrammar(grammar);
  if (typeof read.source?.text !== "string")
    throw invalid("A compiled grammar has a source's text");
  expectOptions("a compiled grammar", read.options, { ...BESIDE, writing: flag });
  return read;
}

/** A request as the worker takes it. */
function requestOf(options: GenerateOptions, read: ReadGrammar): GenerateRequest {
  const { prompt, task, length = 64, steps = 16, seed = 0 } = options;
  const { texts, lists, maxDepth, matching, schema } = { ...read.options, ...withoutGaps(options) };
  const optional = { task, texts, lists, maxDepth, matching, schema };
  return {
    request: prompt,
    ...withoutGaps(optional),
    grammar: read.source,
    length,
    steps,
    seed,
    decoding: readDecoding(options),
  };
}

/** The same as plain data, as it crosses to the worker: a framework's proxies would not. */
function asData<Data>(data: Data): Data {
  return JSON.parse(JSON.stringify(data)) as Data;
}

/** The fields that are not `undefined`. */
function withoutGaps<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };
}
