// The record of a model's files, `model.json` in its folder: what a page that fetches
// them compares them with.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "./report.mjs";

const WHOLE = "model.safetensors";

/** The text of a folder's record. */
export function modelRecord(folder) {
  const names = ["config.json", "tokenizer.json", ...weights(folder)];
  const files = names.map((name) => {
    const bytes = readFileSync(join(folder, name));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return [name, { bytes: bytes.length, sha256 }];
  });
  return `${JSON.stringify({ files: Object.fromEntries(files) }, null, 2)}\n`;
}

/** The file that a folder's weights are in, or the shards that its index names. */
function weights(folder) {
  const index = join(folder, `${WHOLE}.index.json`);
  if (existsSync(join(folder, WHOLE)) || !existsSync(index)) return [WHOLE];
  const { weight_map: map } = JSON.parse(readFileSync(index, "utf8"));
  const shards = [...new Set(Object.values(map ?? {}))].sort();
  const away = shards.find((name) => !/^[^/\\:]+\.safetensors$/.test(name));
  if (away !== undefined)
    throw new SetupError(
      `${index} names ${JSON.stringify(away)}: no weights beside it`,
      "export it anew",
    );
  return shards;
}
