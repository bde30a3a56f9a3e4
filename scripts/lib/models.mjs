// The models that ship.

import { existsSync } from "node:fs";
import { inside } from "./paths.mjs";
import { SetupError } from "./report.mjs";

/** Those that the page's tasks take. */
const MODELS = ["lacuna-mini", "lacuna-small", "lacuna-molecules"];

/** Fails if a file of a model is not there. */
export function requireModels() {
  for (const model of MODELS) {
    for (const name of ["config.json", "tokenizer.json", "model.safetensors"]) {
      if (existsSync(inside("models", model, name))) continue;
      throw new SetupError(`models/${model}/${name} is missing`, `git checkout -- models/${model}`);
    }
  }
}
