// The record of a model's files, `model.json` in its folder: what a page that fetches
// them compares them with.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const NAMES = ["config.json", "tokenizer.json", "model.safetensors"];

/** The text of a folder's record. */
export function modelRecord(folder) {
  const files = NAMES.map((name) => {
    const bytes = readFileSync(join(folder, name));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return [name, { bytes: bytes.length, sha256 }];
  });
  return `${JSON.stringify({ files: Object.fromEntries(files) }, null, 2)}\n`;
}
