/** The records of the models that ship name the files beside them. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { modelRecord } from "../../../scripts/lib/model-record.mjs";

it.each(["lacuna-mini", "lacuna-molecules", "lacuna-small"])(
  "%s (`npm run model:record` mends it)",
  (name) => {
    const folder = fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));
    expect(readFileSync(`${folder}/model.json`, "utf8")).toBe(modelRecord(folder));
  },
);
