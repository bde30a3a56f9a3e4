/** An engine for each model, made when the model is first chosen. */

import { createEngine, type Engine } from "lacuna-lm";
import type { ModelName } from "./presets.ts";

export class Engines {
  readonly #folder: URL;
  readonly #engines = new Map<ModelName, Engine>();

  /** The models are in folders of their names. */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** The engine of a model; nothing is loaded yet. */
  of(model: ModelName): Engine {
    const made = this.#engines.get(model);
    if (made) return made;
    const engine = createEngine({ model: new URL(`${model}/`, this.#folder) });
    this.#engines.set(model, engine);
    return engine;
  }
}
