// `npm run model:record FOLDER`: writes the folder's `model.json`, which names the sizes
// and hashes of its files. Without a folder, those of the models that ship.

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { modelRecord } from "./lib/model-record.mjs";
import { inside } from "./lib/paths.mjs";
import { main } from "./lib/report.mjs";

const given = process.argv.slice(2);
const folders =
  given.length > 0
    ? given.map((folder) => resolve(process.env.INIT_CWD ?? "", folder))
    : ["lacuna-mini", "lacuna-molecules", "lacuna-small"].map((name) => inside("models", name));

await main(async () => {
  for (const folder of folders) {
    writeFileSync(join(folder, "model.json"), modelRecord(folder));
    console.log(join(folder, "model.json"));
  }
});
