/** The app of this folder, made by every bundler, and served as plain modules. */

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build as esbuild } from "esbuild";
import { createServer, build as vite } from "vite";
import webpack from "webpack";

const repository = new URL("../../../", import.meta.url);
const at = (path: string): string => fileURLToPath(new URL(path, repository));
const app = at("web/e2e/package/app.js");

/** What is made here; apps find the package in its `node_modules`, as npm installs it. */
const bundles = at("test-results/bundles");
const installed = `${bundles}/node_modules/lacuna-lm`;

/** How the app can be made. */
export const KINDS = ["vite", "webpack", "esbuild", "plain"] as const;
export type Kind = (typeof KINDS)[number];

const makers: Record<Kind, (folder: string) => Promise<void>> = {
  async vite(folder) {
    page(`${folder}/source`, "./app.js");
    await vite({
      root: `${folder}/source`,
      base: "./",
      logLevel: "error",
      build: { outDir: folder, target: "esnext", emptyOutDir: false },
      worker: { format: "es" },
    });
  },

  async webpack(folder) {
    await new Promise<void>((resolve, reject) => {
      const compiler = webpack({
        mode: "production",
        entry: `${folder}/source/app.js`,
        output: { path: folder, filename: "app.js", publicPath: "auto" },
        experiments: { topLevelAwait: true },
        performance: false,
      });
      compiler.run((error, stats) => {
        if (error) reject(error);
        else if (stats?.hasErrors()) reject(new Error(stats.toString("errors-only")));
        else resolve();
      });
    });
    page(folder, "./app.js");
  },

  // It leaves `new URL(…, import.meta.url)` alone, so the files' addresses are given.
  async esbuild(folder) {
    await esbuild({
      entryPoints: { app: `${folder}/source/app.js` },
      bundle: true,
      format: "esm",
      target: "es2022",
      outdir: folder,
      banner: { js: `globalThis.lacunaUrls = ${JSON.stringify(URLS)};` },
      logLevel: "error",
    });
    await copyPackageFiles(folder, installed);
    page(folder, "./app.js");
  },

  async plain(folder) {
    cpSync(`${installed}/dist`, `${folder}/lacuna/dist`, { recursive: true });
    cpSync(`${installed}/wasm`, `${folder}/lacuna/wasm`, { recursive: true });
    const text = readFileSync(app, "utf8")
      .replace('"lacuna-lm"', '"./lacuna/dist/index.js"')
      .replace('"lacuna-lm/grammar"', '"./lacuna/dist/grammar/index.js"');
    writeFileSync(`${folder}/app.js`, text);
    // A worker of the app's own; it does something else first.
    const worker = 'import { serve } from "./lacuna/dist/worker/index.js";\nserve();\n';
    const pause = "await new Promise((resolve) => setTimeout(resolve, 300));\n";
    writeFileSync(`${folder}/own-worker.js`, pause + worker);
    page(folder, "./app.js");
  },
};

/** Where {@link copyPackageFiles} puts what a bundler left alone. */
export const URLS = {
  workerUrl: "worker.js",
  wasmUrl: "engine.wasm",
  grammarUrl: "grammar.wasm",
} as const;

/** Puts the package's worker and modules beside an app. */
export async function copyPackageFiles(folder: string, of = at("web/lacuna")): Promise<void> {
  await esbuild({
    entryPoints: { worker: `${of}/dist/worker/start.js` },
    bundle: true,
    format: "esm",
    target: "es2022",
    outdir: folder,
    logLevel: "error",
  });
  copyFileSync(`${of}/wasm/full/lacuna_wasm_bg.wasm`, `${folder}/${URLS.wasmUrl}`);
  copyFileSync(`${of}/wasm/grammar/lacuna_wasm_bg.wasm`, `${folder}/${URLS.grammarUrl}`);
}

function page(folder: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  const head = '<!doctype html><html lang="en"><title>An app</title>';
  writeFileSync(`${folder}/index.html`, `${head}<script type="module" src="${script}"></script>`);
}

/** Packs the package, and unpacks it where apps find it: what is published is what is tried. */
export function install(): void {
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  const pack = ["pack", "--json", "--silent", "--pack-destination", bundles];
  const said = execFileSync("npm", pack, { cwd: at("web/lacuna"), encoding: "utf8" });
  const [{ filename }] = JSON.parse(said) as [{ filename: string }];
  const archive = `${bundles}/${filename}`;
  execFileSync("tar", ["-xzf", archive, "-C", installed, "--strip-components=1"]);
}

/** Makes the app with the package that was installed; gives the folder to serve. */
export async function make(kind: Kind): Promise<string> {
  const folder = emptied(kind);
  await makers[kind](folder);
  return folder;
}

/** Serves the app as one develops with Vite: nothing is bundled but dependencies. */
export async function develop(): Promise<{ address: string; close: () => Promise<void> }> {
  const folder = emptied("vite-development");
  page(`${folder}/source`, "./app.js");
  const server = await createServer({
    root: `${folder}/source`,
    cacheDir: `${folder}/cache`,
    configFile: false,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  await server.listen();
  return { address: server.resolvedUrls?.local[0] ?? "", close: () => server.close() };
}

/** A folder with the app's source and nothing else. */
function emptied(name: string): string {
  const folder = `${bundles}/${name}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(`${folder}/source`, { recursive: true });
  copyFileSync(app, `${folder}/source/app.js`);
  return folder;
}
