// `npm run build`: the npm package, and the page that is made with it.

import { nodePackages } from "./lib/node-packages.mjs";
import { npmPackage } from "./lib/npm-package.mjs";
import { page } from "./lib/page.mjs";
import { isRun } from "./lib/paths.mjs";
import { main, optionsOf, stage } from "./lib/report.mjs";
import { BUILDS, wasm } from "./lib/wasm.mjs";

/** Builds what is missing or out of date, with other builds of the engine than those it needs. */
export async function build(others = []) {
  await stage("node packages", nodePackages);
  await stage("engine (WebAssembly)", () => wasm([...BUILDS, ...others]));
  await stage("npm package", npmPackage);
  await stage("page", page);
}

if (isRun(import.meta)) {
  optionsOf();
  await main(() => build());
}
