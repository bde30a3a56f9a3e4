/** The records of the models that ship name the files beside them. */

import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { modelRecord } from "../../../scripts/lib/model-record.mjs";
import { INDEX, shardsOf } from "./shards.ts";

const folderOf = (name: string) =>
  fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));

it.each(["lacuna-mini", "lacuna-molecules", "lacuna-small"])(
  "%s (`npm run model:record` mends it)",
  (name) => {
    const folder = folderOf(name);
    expect(readFileSync(`${folder}/model.json`, "utf8")).toBe(modelRecord(folder));
  },
);

it("names the shards of a folder that has no one file of weights", () => {
  const mini = folderOf("lacuna-mini");
  const folder = mkdtempSync(join(tmpdir(), "lacuna-"));
  try {
    for (const name of ["config.json", "tokenizer.json"])
      copyFileSync(join(mini, name), join(folder, name));
    const shards = shardsOf(readFileSync(join(mini, "model.safetensors")), 1_000_000);
    for (const [name, bytes] of shards) writeFileSync(join(folder, name), bytes);
    shards.delete(INDEX);
    const { files } = JSON.parse(modelRecord(folder));
    expect(Object.keys(files)).toEqual(["config.json", "tokenizer.json", ...shards.keys()]);
    for (const [name, bytes] of shards) {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      expect(files[name]).toEqual({ bytes: bytes.length, sha256 });
    }
    writeFileSync(join(folder, INDEX), JSON.stringify({ weight_map: { a: "../a.safetensors" } }));
    expect(() => modelRecord(folder)).toThrow(/"\.\.\/a\.safetensors"/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
