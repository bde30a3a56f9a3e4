// The page, bundled for production.

import { inside } from "./paths.mjs";
import { UP_TO_DATE } from "./report.mjs";
import { run } from "./run.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./stamp.mjs";

/** Where the bundled page stands. */
export const PAGE = inside("web", "dist");

/** Bundles the page unless nothing it is made of has changed. */
export async function page() {
  const inputs = [
    "index.html",
    "public",
    "src",
    "editor",
    "playground",
    "lacuna/dist",
    "lacuna/wasm",
    "vite.config.ts",
  ].map((name) => inside("web", name));
  const query = inside("models", "lacuna-small", "query.lark");
  const hash = hashOf([...inputs, inside("grammars"), query, inside("package-lock.json")]);
  if (isFresh("page", hash, [inside("web", "dist", "index.html")])) return UP_TO_DATE;
  markStale("page");
  const vite = inside("node_modules", "vite", "bin", "vite.js");
  await run(process.execPath, [vite, "build", "web", "--logLevel", "warn"]);
  markFresh("page", hash);
}
