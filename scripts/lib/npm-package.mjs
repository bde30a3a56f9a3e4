// The npm package, compiled from its sources: plain modules, one for each of theirs, but the
// grammar door in one.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
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
  const maker = inside("scripts", "lib", "npm-package.mjs");
  const hash = hashOf([...inputs, maker, inside("package-lock.json")]);
  if (isFresh("npm-package", hash, [within("dist", "index.js")])) return UP_TO_DATE;
  markStale("npm-package");
  rmSync(within("dist"), { recursive: true, force: true });
  const compiler = inside("node_modules", "typescript", "bin", "tsc");
  await run(process.execPath, [compiler, "--project", within()]);
  await inOne(within("dist", "grammar", "index.js"));
  await withoutUnused(within("dist", "grammar"));
  await withoutProse(within("dist"));
  for (const name of LICENSES) copyFileSync(inside(name), within(name));
  markFresh("npm-package", hash);
}

/**
 * A door as one module, so that it is small and needs few requests. What stands outside of its
 * folder stays a module of its own: errors are of one class, whichever door they come from.
 */
async function inOne(door) {
  const { build } = await import("esbuild");
  const shared = {
    name: "shared",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\.\/[\w-]+\.js$/ }, ({ path }) => ({ path, external: true })),
  };
  await build({
    entryPoints: [door],
    outfile: door,
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    plugins: [shared],
    logLevel: "warning",
  });
  writeFileSync(door, withImportsJoined(readFileSync(door, "utf8")));
}

/** A module with one import of each name of others, where its parts had their own. */
function withImportsJoined(source) {
  const named = new Map();
  const rest = source.replace(/^import \{([^}]*)\} from ("[^"]+");\n/gm, (_, names, from) => {
    const locals = named.get(from) ?? new Map();
    named.set(from, locals);
    for (const name of names.split(",")) {
      const [imported, local = imported] = name.trim().split(" as ");
      locals.set(imported, [...(locals.get(imported) ?? []), local]);
    }
    return "";
  });
  const again = new Map();
  const imports = [...named].map(([from, locals]) => {
    const names = [...locals].map(([imported, all]) => {
      // The name itself stays where a part has it: what the door exports, and properties, are
      // called by it, too. Those with a number are called so nowhere else.
      const kept = all.includes(imported) ? imported : all[0];
      for (const local of all) if (local !== kept) again.set(local, kept);
      return kept === imported ? kept : `${imported} as ${kept}`;
    });
    return `import { ${names.join(", ")} } from ${from};\n`;
  });
  return imports.join("") + rest.replace(/\b[\w$]+\b/g, (word) => again.get(word) ?? word);
}

/** Takes away the modules of a folder that no door imports. */
async function withoutUnused(folder) {
  const { build } = await import("esbuild");
  const { exports } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  const doors = Object.values(exports).flatMap(({ default: door }) => door ?? []);
  const { metafile } = await build({
    absWorkingDir: PACKAGE,
    entryPoints: doors,
    bundle: true,
    format: "esm",
    packages: "external",
    outdir: folder,
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  const used = new Set(Object.keys(metafile.inputs).map((path) => resolve(PACKAGE, path)));
  for (const path of modulesIn(folder)) if (!used.has(path)) rmSync(path);
}

const modulesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".js"))
    .map((name) => join(folder, name));

/** Modules without comments and blanks; what they say of themselves is in their types. */
async function withoutProse(folder) {
  const { transform } = await import("esbuild");
  for (const path of modulesIn(folder)) {
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
