// `npm run build`: everything the page is made of.

import { nodePackages } from "./lib/node-packages.mjs";
import { page } from "./lib/page.mjs";
import { main, stage } from "./lib/report.mjs";
import { wasm } from "./lib/wasm.mjs";

/** Builds what is missing or out of date. */
export async function build() {
  await stage("node packages", nodePackages);
  await stage("engine (WebAssembly)", wasm);
  await stage("page", page);
}

if (process.argv[1] === import.meta.filename) await main(build);
