// The npm package, compiled from its sources: plain modules, one for each of theirs.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inside } from "./paths.mjs";
import { UP_TO_DATE } from "./report.mjs";
import { run } from "./run.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./stamp.mjs";

/** Where it stands, with its package.json. */
export const PACKAGE = inside("web", "lacuna");

const LICENSES = ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"];

/** Compiles the package unless nothing it is made of has changed. */
export async function npmPackage() {
  const within = (...parts) => inside("web", "lacuna", ...parts);
  const inputs = ["src", "tsconfig.json", "package.json", "wasm"].map((name) => within(name));
  const hash = hashOf([...inputs, inside("package-lock.json")]);
  if (isFresh("npm-package", hash, [within("dist", "index.js")])) return UP_TO_DATE;
  markStale("npm-package");
  rmSync(within("dist"), { recursive: true, force: true });
  const compiler = inside("node_modules", "typescript", "bin", "tsc");
  await run(process.execPath, [compiler, "--project", within()]);
  await withoutProse(within("dist"));
  for (const name of LICENSES) copyFileSync(inside(name), within(name));
  markFresh("npm-package", hash);
}

/** Modules without comments and blanks; what they say of themselves is in their types. */
async function withoutProse(folder) {
  const { transform } = await import("esbuild");
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".js"));
  for (const path of files.map((name) => join(folder, name))) {
    const source = readFileSync(path, "utf8");
    // What bundlers are told in comments stays, which only unminified modules keep.
    const short = !source.includes("webpackIgnore");
    const options = {
      minifyWhitespace: short,
      minifySyntax: short,
      minifyIdentifiers: true,
      format: "esm",
    };
    writeFileSync(path, (await transform(source, options)).code);
  }
}
