// The model that ships.

import { existsSync } from "node:fs";
import { inside } from "./paths.mjs";
import { SetupError } from "./report.mjs";

/** Fails if a file of the model is not there. */
export function requireModel() {
  const folder = inside("models", "lacuna-mini");
  for (const name of ["config.json", "tokenizer.json", "model.safetensors"]) {
    if (existsSync(`${folder}/${name}`)) continue;
    throw new SetupError(
      `models/lacuna-mini/${name} is missing`,
      "git checkout -- models/lacuna-mini",
    );
  }
}
