// `npm run docs:api`: the reference of the npm package's doors, made from their types, in
// `web/lacuna/api`. A door that says nothing of what it exports fails it.

import { npmPackage } from "./lib/npm-package.mjs";
import { inside, isRun } from "./lib/paths.mjs";
import { main, optionsOf, stage, UP_TO_DATE } from "./lib/report.mjs";
import { run } from "./lib/run.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./lib/stamp.mjs";

const TYPEDOC = inside("scripts", "api-docs", "node_modules", "typedoc", "bin", "typedoc");
const DOORS = [
  "index",
  ...["grammar", "worker", "ai-sdk", "openai", "react"].map((it) => `${it}/index`),
];

async function typedoc() {
  const hash = hashOf([inside("scripts", "api-docs", "package-lock.json")]);
  if (isFresh("api-docs", hash, [TYPEDOC])) return UP_TO_DATE;
  markStale("api-docs");
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: inside("scripts", "api-docs"),
    mend: "check that the npm registry can be reached, then run the command again",
  });
  markFresh("api-docs", hash);
}

/** Makes the reference. */
export async function apiDocs() {
  await stage("typedoc", typedoc);
  await stage("reference of the npm package", () =>
    run(process.execPath, [
      TYPEDOC,
      ...["--tsconfig", inside("web", "lacuna", "tsconfig.json")],
      ...["--out", inside("web", "lacuna", "api")],
      ...["--name", "lacuna-lm", "--readme", inside("web", "lacuna", "README.md")],
      ...["--excludeInternal", "--excludePrivate", "--treatWarningsAsErrors"],
      ...["--validation.notExported", "false", "--disableSources", "--logLevel", "Warn"],
      ...DOORS.map((door) => inside("web", "lacuna", "src", `${door}.ts`)),
    ]),
  );
}

if (isRun(import.meta)) {
  optionsOf();
  await main(async () => {
    await stage("npm package", npmPackage);
    await apiDocs();
  });
}
