/** The app of this folder, made by every bundler, and served as plain modules. */

import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";

const repository = new URL("../../../", import.meta.url);
const at = (path: string): string => fileURLToPath(new URL(path, repository));
const app = at("web/e2e/package/app.js");

/** How the app can be made. */
export const KINDS = ["vite", "webpack", "esbuild", "plain"] as const;
export type Kind = (typeof KINDS)[number];

const makers: Record<Kind, (folder: string) => Promise<void>> = {
  async vite(folder) {
    page(`${folder}/source`, "./app.js");
    copyFileSync(app, `${folder}/source/app.js`);
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
        entry: app,
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
      entryPoints: { app },
      bundle: true,
      format: "esm",
      target: "es2022",
      outdir: folder,
      absWorkingDir: at("."),
      banner: { js: `globalThis.lacunaUrls = ${JSON.stringify(URLS)};` },
      logLevel: "error",
    });
    await copyPackageFiles(folder);
    page(folder, "./app.js");
  },

  async plain(folder) {
    cpSync(at("web/lacuna/dist"), `${folder}/lacuna/dist`, { recursive: true });
    cpSync(at("web/lacuna/wasm"), `${folder}/lacuna/wasm`, { recursive: true });
    const text = readFileSync(app, "utf8")
      .replace('"lacuna-lm"', '"./lacuna/dist/index.js"')
      .replace('"lacuna-lm/grammar"', '"./lacuna/dist/grammar/index.js"');
    writeFileSync(`${folder}/app.js`, text);
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
export async function copyPackageFiles(folder: string): Promise<void> {
  await esbuild({
    entryPoints: { worker: "lacuna-lm/worker/start" },
    bundle: true,
    format: "esm",
    target: "es2022",
    outdir: folder,
    absWorkingDir: at("."),
    logLevel: "error",
  });
  copyFileSync(at("web/lacuna/wasm/full/lacuna_wasm_bg.wasm"), `${folder}/${URLS.wasmUrl}`);
  copyFileSync(at("web/lacuna/wasm/grammar/lacuna_wasm_bg.wasm"), `${folder}/${URLS.grammarUrl}`);
}

function page(folder: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  const head = '<!doctype html><html lang="en"><title>An app</title>';
  writeFileSync(`${folder}/index.html`, `${head}<script type="module" src="${script}"></script>`);
}

/** Makes the app; gives the folder to serve. */
export async function make(kind: Kind): Promise<string> {
  const folder = at(`test-results/bundles/${kind}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await makers[kind](folder);
  return folder;
}
