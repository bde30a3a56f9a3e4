// The models that ship.

import { existsSync, readFileSync } from "node:fs";
import { inside } from "./paths.mjs";
import { SetupError } from "./report.mjs";

/** Those that the page's tasks take. */
const MODELS = ["lacuna-mini", "lacuna-small", "lacuna-molecules"];

/** Fails if a file of a model is not there. */
export function requireModels() {
  for (const model of MODELS) {
    const expectFile = (name) => {
      if (existsSync(inside("models", model, name))) return;
      throw new SetupError(`models/${model}/${name} is missing`, `git checkout -- models/${model}`);
    };
    expectFile("model.json");
    const { files } = JSON.parse(readFileSync(inside("models", model, "model.json"), "utf8"));
    Object.keys(files).forEach(expectFile);
  }
}
